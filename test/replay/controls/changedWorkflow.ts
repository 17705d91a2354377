import { sleep } from '@temporalio/workflow';
import { refund as released } from '../../../workflows';

/** Control: a change without a version marker, as a careless release would make it. Replay must notice. */
export async function refund(input: Parameters<typeof released>[0]): ReturnType<typeof released> {
  await sleep(1);
  return released(input);
}
