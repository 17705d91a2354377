import type { Answer } from '../support/api';
import { until } from '../support/processes';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';

/** A refusal is problem+json, complete, and says what it is. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code, text: answer.text }).toEqual({
    status,
    code,
    text: expect.any(String),
  });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({
    status,
    type: `urn:countersign:error:${code}`,
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/./),
    requestId: answer.headers.get('x-request-id'),
  });
}

/** Everything in the answer but what is new with every request. */
export function bytesOf({ status, headers, text, body }: Answer): string {
  const requestId = String(body?.requestId);
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify([status, kept, text.replaceAll(requestId, '')]);
}

/** Rows that a taken-in request leaves. */
export async function rowsTakenIn(stack: TestStack): Promise<number> {
  const [row] = await query<{ n: string }>(
    stack.database.adminUrl,
    `select (select count(*) from runs) + (select count(*) from refund_requests) + (select count(*) from outbox)
       + (select count(*) from payments where reserved > 0) + (select count(*) from audit where event = 'requested') as n`,
  );
  return Number(row?.n);
}

/** Workflows of the suite, once the server's index has the one that `runId` started. */
export async function workflowsStarted(stack: TestStack, runId: string): Promise<string[]> {
  const ids: string[] = [];
  await until(async () => {
    ids.length = 0;
    for await (const { workflowId } of stack.temporal.client.workflow.list()) ids.push(workflowId);
    return ids.some((id) => id.endsWith(runId));
  });
  return ids;
}
