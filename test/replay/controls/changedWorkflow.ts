import { sleep } from '@temporalio/workflow';
import * as released from '../../../workflows';

/** Control: changes without a version marker, as a careless release would make them. Replay must notice each. */
export async function refund(...[input]: Parameters<typeof released.refund>) {
  await sleep(1);
  return released.refund(input);
}

export async function refundBatch(...[input]: Parameters<typeof released.refundBatch>) {
  await sleep(1);
  return released.refundBatch(input);
}

export async function ingestKnowledge(...[input]: Parameters<typeof released.ingestKnowledge>) {
  await sleep(1);
  return released.ingestKnowledge(input);
}

export async function agentRun(...[input]: Parameters<typeof released.agentRun>) {
  await sleep(1);
  return released.agentRun(input);
}

export async function memoryProposal(...[input]: Parameters<typeof released.memoryProposal>) {
  await sleep(1);
  return released.memoryProposal(input);
}
