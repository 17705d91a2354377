import type { TestStack } from '../support/stack';
import { agentRunWorkflowId } from '../../src/domain/contract';
import { Countersign, type AgentRun } from '../../src/client';
import { agentRunSchema } from '../../src/http/agentRunSchemas';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';

export const customer = 'cus_lamp.7';

export type AgentScene = ReturnType<typeof agentScene>;

/** What the suites of agent runs do: conversations of customers, and runs about them as the agent of acme. */
export function agentScene(stack: TestStack) {
  const agent = new Countersign({ baseUrl: stack.apiUrl, token: testTokens.acme.agent });
  const say = (threadId: string, text: string, owner = customer) =>
    stack.as('service').call('POST', `/v1/threads/${threadId}/messages?owner=${encodeURIComponent(owner)}`, {
      messages: [{ role: 'user', text }],
    });
  return {
    agent,
    say,
    /** A conversation of a customer that says this. */
    conversation: async (text: string, ownerId = customer): Promise<string> => {
      const begun = await stack.as('service').call('POST', '/v1/threads', { ownerId, title: 'A lamp' });
      await say(begun.body.id as string, text, ownerId);
      return begun.body.id as string;
    },
    start: (threadId: string, more: Record<string, unknown> = {}) =>
      agent.runs.start({ goal: 'Help this customer with his refund', threadId, ownerId: customer, ...more }),
    untilRun: async (runId: string, is: (run: AgentRun) => boolean): Promise<AgentRun> => {
      let seen: AgentRun | undefined;
      await until(async () => is((seen = await agent.runs.show(runId)))).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(seen)}`);
      });
      // The document says all that there is of it, and no more.
      expect(agentRunSchema.parse(seen)).toEqual(seen);
      return seen as AgentRun;
    },
    handle: (runId: string) => stack.temporal.client.workflow.getHandle(agentRunWorkflowId('acme', runId)),
  };
}

export const status =
  (wanted: AgentRun['status']) =>
  (run: AgentRun): boolean =>
    run.status === wanted;

export function refundOf({ stepOutputs }: AgentRun): string {
  const output = stepOutputs['propose_refund'];
  if (!output || !('refundRunId' in output)) throw new Error(`no refund: ${JSON.stringify(stepOutputs)}`);
  return output.refundRunId;
}
