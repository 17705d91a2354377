import { Countersign, CountersignError, type CountersignOptions, type RefundRequest } from '../../src/client';
import type { EmbeddedPerson } from '../../src/sandbox/embeddedTenants';
import { testTokens } from '../support/shared';
import type { FrontDoor } from './frontDoor';

/** A client of the API behind the door, for one person. */
export function clientOf(
  door: FrontDoor,
  person: EmbeddedPerson,
  more: Partial<CountersignOptions> = {},
): Countersign {
  return new Countersign({
    baseUrl: door.url,
    token: testTokens.acme[person],
    retry: { firstDelayMs: 10 },
    ...more,
  });
}

export function refundOf(paymentId: string, value: string): RefundRequest {
  return { paymentId, amount: { value, currency: 'USD' }, reason: 'damaged' };
}

/** The error that a call was refused with. */
export async function refused(call: Promise<unknown>): Promise<CountersignError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CountersignError)) throw new Error('it was not refused', { cause: error });
  return error;
}
