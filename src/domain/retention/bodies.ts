import { z } from 'zod';
import { personSubject } from '../erasure/bodies';
import { externalId, freeText } from '../refund/request';
import { versionReadOrNone } from '../version';

const days = z.int().min(1).max(36_500);
const reason = freeText.trim().min(1).max(500);

export const retentionChange = z
  .strictObject({
    version: versionReadOrNone,
    runDays: days.optional(),
    memoryDays: days.optional(),
    turnDays: days.optional(),
  })
  .refine(
    ({ runDays, memoryDays, turnDays }) =>
      [runDays, memoryDays, turnDays].some((given) => given !== undefined),
    'one of runDays, memoryDays and turnDays',
  )
  .meta({ minProperties: 2 });
export type RetentionChange = z.infer<typeof retentionChange>;

export const newHold = z.discriminatedUnion('scope', [
  z.strictObject({ scope: z.literal('tenant'), reason }),
  z.strictObject({ scope: z.literal('person'), subject: personSubject, reason }),
  z.strictObject({ scope: z.literal('run'), subject: externalId, reason }),
]);
export type NewHold = z.infer<typeof newHold>;

export const holdFilter = z.object({ released: z.enum(['true', 'false']).default('false') });
