import type { McpServer } from '@modelcontextprotocol/server';
import type { Countersign } from '../client';
import { z } from 'zod';
import { decisionBody } from '../domain/approval/decision';
import { answered } from './answer';

const decision = decisionBody.safeExtend({ approvalId: z.string().min(1).max(128).describe('apr_…') });

/**
 * To decide. Offered only where the server acts with a person's own key that may decide; that it is refused to anybody
 * else is the API's matter, not this list's (R29).
 */
export function registerDeciding(server: McpServer, countersign: Countersign): void {
  server.registerTool(
    'decide',
    {
      title: 'Decide on a refund',
      description:
        'One decision of the person whose key this server has, on exactly the revision that proposalHash names. ' +
        'Look at it with show_approval first, and ask that person: an approval can move money and is not taken back.',
      inputSchema: decision,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ approvalId, ...body }) => answered(() => countersign.approvals.decide(approvalId, body)),
  );
}
