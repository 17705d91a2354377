import { z } from 'zod';

const major = z.string().regex(/^\d{1,12}(\.\d{1,4})?$/, 'a decimal in major units');

const tier = z.strictObject({
  upTo: major.optional().describe("Major units of the refund's currency, inclusive; the last tier has none"),
  approvers: z.int().min(0).max(10).describe('0 is automatic'),
  oneFrom: z.string().min(1).optional().describe('A group that one of them is from'),
});

const tiers = z
  .array(tier)
  .min(1)
  .refine((list) => list.every((t, i) => (t.upTo === undefined) === (i === list.length - 1)), {
    message: 'every tier but the last needs upTo, and the last has none',
  });

const hours = z
  .number()
  .positive()
  .max(24 * 365);

const minutes = z
  .number()
  .positive()
  .max(60 * 24);

/** How many, how much and by when; who may is said in Cedar, and both are one version. */
export const policyDocument = z.strictObject({
  approverGroup: z.string().min(1),
  reviewGroup: z.string().min(1).describe("Who settles a run that can't go on by itself"),
  tiers: z.record(z.string(), tiers),
  otherCurrencies: tiers,
  refundWindowHours: hours,
  aggregateWindowHours: hours,
  dailyAutomaticCap: z.strictObject({ principal: major, tenant: major }),
  remindersHours: z.array(hours).max(10),
  escalation: z.strictObject({ afterHours: hours, toGroup: z.string().min(1) }).optional(),
  expiryHours: hours,
  infoPauseHours: hours
    .optional()
    .describe('How long a question to the requester may stop the clock in all; without it, it does not'),
  claimMinutes: minutes.optional().describe('How long a claim lasts; 30 minutes where nothing is said'),
  delegateTo: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe('Further groups whose members an approver may hand his say over to'),
  graceAfterOutageHours: hours
    .optional()
    .describe(
      'What is left at least, once, after an outage made a reminder or the expiry late; without it, nothing is added',
    ),
  outageAfterMinutes: minutes
    .optional()
    .describe('From how late on it was an outage; 5 minutes where nothing is said'),
});
export type PolicyDocument = z.infer<typeof policyDocument>;

/** One published version: the table, and the rules that say who may, as Cedar text. */
export interface Policy {
  readonly version: string;
  readonly document: PolicyDocument;
  readonly cedar: string;
}
