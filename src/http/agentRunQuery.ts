import { z } from '@hono/zod-openapi';
import { agentRunStatuses } from '../domain/agent/state';
import type { AgentRunFilter } from '../ports/agentRuns';
import { decodeCursor, pageQuery } from './cursor';

/** What a list of agent runs can be asked for, of the API and of the pages. */
export const agentRunQuery = z.object({ status: z.enum(agentRunStatuses).optional(), ...pageQuery });

/** @throws CountersignError invalid_request for a cursor that is none */
export function agentRunFilterOf({
  status,
  cursor,
  limit,
}: z.infer<typeof agentRunQuery>): Omit<AgentRunFilter, 'seenBy'> {
  const position = cursor === undefined ? undefined : decodeCursor(cursor);
  return {
    limit,
    ...(status === undefined ? {} : { status }),
    ...(position === undefined ? {} : { after: { createdAt: position[0], runId: position[1] } }),
  };
}
