import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Countersign } from '../client';
import { CountersignError } from '../domain/errors';
import { freeText, onBehalfOf, refundBody } from '../domain/refund/request';
import { answered } from './answer';
import { id } from './looking';
import { derivedRequestKey } from './requestKey';

const human = onBehalfOf.optional().describe('The human for whom this is done; he can not approve it then.');
const changing = { readOnlyHint: false, idempotentHint: true, openWorldHint: false };

export const requestKey = z
  .string()
  .regex(/^[!-~]{1,200}$/)
  .optional();

const proposal = refundBody.extend({
  requestKey: requestKey.describe(
    'Names this one refund for good, for example by the number of the return. The same key never refunds twice. ' +
      'Without one it is derived from payment, amount, order and lines; a second refund of the same things needs its own.',
  ),
});

/** What an agent may do: to propose, to take a proposal back, and to answer what a reviewer asks about it. */
export function registerProposing(server: McpServer, countersign: Countersign): void {
  server.registerTool(
    'propose_refund',
    {
      title: 'Propose a refund',
      description:
        'Asks for money of a payment to be paid back. What the policy lets through is paid; for the rest people decide, ' +
        'which can take days. amount.value is in major units, such as "49.00". Sent again it is the same refund. ' +
        'Answers the run and the request key.',
      inputSchema: proposal,
      annotations: { ...changing, destructiveHint: true },
    },
    async ({ requestKey: key, ...body }) =>
      answered(() =>
        underKey(key, derivedRequestKey(body), inOtherWords, (idempotencyKey) =>
          countersign.refunds.start(body, { idempotencyKey }),
        ),
      ),
  );

  server.registerTool(
    'cancel_refund',
    {
      title: 'Take a proposal back',
      description:
        'Cancels a refund that this identity proposed, while the payment provider has not been asked for it. ' +
        'Repeating it changes nothing.',
      inputSchema: z.strictObject({ runId: id, onBehalfOf: human }),
      annotations: { ...changing, destructiveHint: true },
    },
    async ({ runId, ...spoken }) => answered(() => countersign.refunds.cancel(runId, spoken)),
  );

  server.registerTool(
    'answer_question',
    {
      title: 'Answer a reviewer',
      description:
        'Answers what a reviewer asked about a refund that this identity proposed; infoRequests of show_approval has the ' +
        'question, its id and the proposalHash.',
      inputSchema: z.strictObject({
        approvalId: id,
        proposalHash: z.string().max(64),
        questionId: id.optional(),
        text: freeText.min(1).max(2000),
        onBehalfOf: human,
      }),
      annotations: { ...changing, destructiveHint: false },
    },
    async ({ approvalId, text: comment, ...about }) =>
      answered(() => countersign.approvals.answerInfo(approvalId, { ...about, comment })),
  );
}

/** Sent under the key that the agent names, else the derived one; a conflict about that, which it never saw, needs words. */
export async function underKey<Sent extends object>(
  named: string | undefined,
  derived: string,
  words: string,
  send: (idempotencyKey: string) => Promise<Sent>,
): Promise<Sent & { readonly requestKey: string }> {
  const requestKey = named ?? derived;
  try {
    return { ...(await send(requestKey)), requestKey };
  } catch (error) {
    const isUnseen = named === undefined && error instanceof CountersignError;
    if (!isUnseen || error.code !== 'idempotency_conflict') throw error;
    throw new CountersignError(error.code, words, { ...error.details, requestKey });
  }
}

const inOtherWords =
  'A refund of this amount of this payment was proposed before, in other words: look for it with list_refunds. If ' +
  'this is meant to be another refund, send it with a requestKey of its own.';
