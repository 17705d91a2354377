import { z } from 'zod';
import { decisionKinds } from '../approval/message';
import { CountersignError } from '../errors';
import { parseAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { externalId, freeText } from '../refund/request';
import { forbidCodes } from './authorization';
import { besideThePoint, memoryActions, memoryInCase, type MemoryAction } from './memoryCases';

/** `120.00 USD` */
const amount = z
  .string()
  .max(40)
  .refine((text) => readAmount(text) !== undefined, 'an amount and its currency, such as 120.00 USD');

export function readAmount(text: string): Money | undefined {
  const [value = '', currency = '', ...more] = text.split(' ');
  if (more.length > 0) return undefined;
  try {
    return parseAmount(value, currency, { allowWithdrawn: true });
  } catch (error) {
    if (error instanceof CountersignError) return undefined;
    throw error;
  }
}

const groupName = freeText.min(1).max(64);

const person = z.strictObject({
  /** A workflow remembers how a refund ended, and does nothing else. */
  kind: z.enum(['person', 'service', 'agent', 'workflow']),
  groups: z.array(groupName).max(50),
  /** Major units of the refund's currency; without it there is no limit. */
  limit: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,4})?$/, 'a decimal in major units')
    .optional(),
});

const count = z.int().min(0).max(1_000_000);

/** The past of the payment and the customer; what isn't said did not happen, and `unknown` is what nobody knows. */
const past = z.strictObject({
  paymentRefunds: count.optional(),
  paymentRefunded: amount.optional(),
  paymentRejections: count.optional(),
  paymentAgeHours: count.optional(),
  disputed: amount.optional(),
  customer: z
    .union([
      z.literal('unknown'),
      z.strictObject({
        refunds: count.optional(),
        refunded: amount.optional(),
        lastHour: count.optional(),
        lastDay: count.optional(),
        last30Days: count.optional(),
        rejections: count.optional(),
      }),
    ])
    .optional(),
  toOtherMethod: z.union([z.boolean(), z.literal('unknown')]).optional(),
});
export type PastInCase = z.infer<typeof past>;

/** What else holds; what isn't said is as usual: a service asks, nobody edited, nothing was refunded before. */
const circumstances = z.strictObject({
  requester: externalId.optional(),
  onBehalfOf: externalId.optional(),
  /** This refund with the recent ones of the same payment or customer. */
  together: amount.optional(),
  /** Automatic refunds of the last day, this one included. */
  automaticToday: amount.optional(),
  /** Who changed the amount, and from what. */
  edited: z.strictObject({ by: externalId, from: amount }).optional(),
  escalatedTo: z.array(groupName).max(10).optional(),
  risk: past.optional(),
});

/** One example: how much, or who does what, and what comes of it. */
const example = z
  .strictObject({
    case: freeText.min(1).max(200),
    who: externalId.optional(),
    does: z
      .enum([...decisionKinds, 'propose', 'view', 'cancel', 'review', 'manage', ...memoryActions])
      .optional(),
    /** With `manage` only. */
    what: z.enum(['policies', 'brake', 'memory']).optional(),
    amount: amount.optional(),
    /** With what is done to memory only. */
    memory: memoryInCase.optional(),
    when: circumstances.optional(),
    then: z.union(
      [
        z.enum(['automatic', 'permit', 'deny', ...forbidCodes]),
        z.strictObject({ votes: z.int().min(1), oneFrom: groupName.optional() }),
      ],
      {
        error: `one of automatic, permit, deny, ${forbidCodes.join(', ')}, or {"votes": 2, "oneFrom": "a group"}`,
      },
    ),
  })
  .superRefine((one, ctx) => {
    const wrong = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    const aboutSomebody = one.who !== undefined;
    const manages = one.does === 'manage';
    if (aboutSomebody !== (one.does !== undefined)) wrong('does', 'who and does belong together');
    if (manages !== (one.what !== undefined)) wrong('what', 'says what is managed, with manage only');
    const remembers = isOnMemory(one.does) ? one.does : undefined;
    const aboutRefund = !manages && remembers === undefined;
    if (aboutRefund !== (one.amount !== undefined))
      wrong('amount', 'is in every case but those of manage and of memory');
    if (!aboutRefund && one.when !== undefined)
      wrong('when', 'nothing else counts where somebody manages or where it is about memory');
    const beside = remembers === undefined ? one.memory && 'memory' : besideThePoint(remembers, one.memory);
    if (beside !== undefined)
      wrong('memory', `${beside} counts nowhere in a case of ${one.does ?? 'an amount'}`);
    const aboutVotes = one.then === 'automatic' || typeof one.then === 'object';
    if (aboutSomebody === aboutVotes)
      wrong('then', 'somebody gets permit, deny or a code; an amount alone gets automatic or votes');
  });
export type PolicyCase = z.infer<typeof example>;

/** Example cases of a policy, and the people in them, who need not exist. */
export const policyCases = z
  .strictObject({ people: z.record(externalId, person), cases: z.array(example).max(200) })
  .superRefine(({ people, cases }, ctx) => {
    const titles = new Set<string>();
    for (const [i, one] of cases.entries()) {
      if (one.who !== undefined && !Object.hasOwn(people, one.who))
        ctx.addIssue({ code: 'custom', path: ['cases', i, 'who'], message: 'is not among the people' });
      const named = isOnMemory(one.does) ? [] : [one.who, one.when?.requester];
      if (
        named.some((id) => id !== undefined && Object.hasOwn(people, id) && people[id]?.kind === 'workflow')
      )
        ctx.addIssue({ code: 'custom', path: ['cases', i], message: 'a workflow only remembers' });
      if (titles.has(one.case))
        ctx.addIssue({ code: 'custom', path: ['cases', i, 'case'], message: 'two cases have this title' });
      titles.add(one.case);
    }
  });
export type PolicyCases = z.infer<typeof policyCases>;

export function isOnMemory(does: PolicyCase['does']): does is MemoryAction {
  return memoryActions.some((action) => action === does);
}
