import { condition, defineSignal, executeChild, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BareActivities } from './activities';
import type { BareRefund } from './contract';

const approved = defineSignal('approved');

const { propose, execute } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

/** The least that is a refund with an approval on Temporal: what Countersign is compared with. */
export async function bareRefund(refund: BareRefund): Promise<string> {
  let decided = false;
  setHandler(approved, () => {
    decided = true;
  });
  const proposal = await propose(refund);
  await condition(() => decided);
  return execute(proposal);
}

/** One row of a batch: the call alone. */
export async function bareRow(refund: BareRefund): Promise<string> {
  return execute(refund);
}

/** The least that is a batch on Temporal: so many children at a time, each of which makes the call. */
export async function bareBatch(refunds: readonly BareRefund[], atOnce: number): Promise<number> {
  const waiting = [...refunds];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await executeChild(bareRow, { workflowId: next.id, args: [next] });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return refunds.length;
}
