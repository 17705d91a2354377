import { patched, sleep } from '@temporalio/workflow';
import * as released from '../../../workflows';

/** A later release as it should be made: new runs take another path, runs that wait go on as they began. */
export async function refund(...[input]: Parameters<typeof released.refund>) {
  if (patched('next-release')) await sleep(1);
  return released.refund(input);
}

export async function refundBatch(...[input]: Parameters<typeof released.refundBatch>) {
  if (patched('next-release')) await sleep(1);
  return released.refundBatch(input);
}

export async function ingestKnowledge(...[input]: Parameters<typeof released.ingestKnowledge>) {
  if (patched('next-release')) await sleep(1);
  return released.ingestKnowledge(input);
}

export async function agentRun(...[input]: Parameters<typeof released.agentRun>) {
  if (patched('next-release')) await sleep(1);
  return released.agentRun(input);
}

export async function memoryProposal(...[input]: Parameters<typeof released.memoryProposal>) {
  if (patched('next-release')) await sleep(1);
  return released.memoryProposal(input);
}
