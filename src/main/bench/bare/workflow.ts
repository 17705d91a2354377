import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
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
