import { createHash } from 'node:crypto';
import type { ApprovalState } from '../src/domain/approval/state';
import { manifestContent, summarize, summaryView, type ManifestRow } from '../src/domain/batch/manifest';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import { evaluatePolicy, type PolicyDecision } from '../src/domain/policy/evaluate';
import type { Policy } from '../src/domain/policy/document';
import { batchAction } from '../src/domain/refund/state';
import type { Batch } from '../src/ports/batches';
import { approvalOpened } from './approvalOpened';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { proposalHash } from './proposalHash';

const hourMs = 3_600_000;

export interface ManifestToFreeze {
  readonly tenant: string;
  readonly batchId: string;
  /** The Temporal execution; another one after a reset. */
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/** Without an approval nobody is asked as a whole; `nothing`: no row may run, or none is meant to. */
export type Frozen =
  { readonly kind: 'ask'; readonly approval: ApprovalState } | { readonly kind: 'run' | 'nothing' };

export function manifestHash(tenant: string, batchId: string, rows: readonly ManifestRow[]): string {
  return createHash('sha256')
    .update(manifestContent(tenant, batchId, rows))
    .digest('hex');
}

/**
 * Freezes what may run: a hash over every row, which the proposal hash of the approval covers. From here on no row can
 * be added or changed. Frozen once; after a reset the same rows are asked about anew.
 */
export function freezeManifest({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, batchId, epoch, now }: ManifestToFreeze): Promise<Frozen> =>
    store.inTenant(tenant, async (unit) => {
      const batch = await unit.batches.lock(batchId);
      if (!batch) throw new CountersignError('not_started_here');
      if (batch.cancelledBy !== null) return { kind: 'nothing' };
      const asked = await unit.approvals.lock(approvalIdOf(batchId));
      // Of another execution: the run was reset, and what was decided before it is void (R27).
      if (asked) return { kind: 'ask', approval: await approvalInEpoch(unit, asked, epoch) };
      if (batch.state === 'running') return { kind: 'run' };
      const rows = await unit.batchItems.manifest(batchId);
      const hash = manifestHash(tenant, batchId, rows);
      const summary = summarize(rows);
      await unit.batches.change(batchId, { manifestHash: hash, summary });
      await unit.audit.append({
        runId: batchId,
        actor: 'countersign',
        event: 'manifest_frozen',
        step: 'freeze_manifest',
        after: { manifestHash: hash, rows: rows.length, leftOut: batch.rows - rows.length },
      });
      if (rows.length === 0 || batch.dryRun) return { kind: 'nothing' };
      if (batch.approval === 'each') {
        await unit.batches.change(batchId, { state: 'running' });
        return { kind: 'run' };
      }
      const approval = proposed(batch, hash, summary.sum, await unit.policies.newest(), now);
      await unit.batches.change(batchId, { state: 'waiting_approval' });
      await unit.approvals.save(approval, epoch, {
        batch: {
          rows: batch.rows,
          leftOut: batch.rows - rows.length,
          manifestHash: hash,
          ...summaryView(summary),
        },
      });
      await approvalOpened(unit, approval);
      return { kind: 'ask', approval };
    });
}

function proposed(batch: Batch, hash: string, sum: Money, policy: Policy, now: number): ApprovalState {
  const judged = policyForManifest(policy, sum);
  const draft = {
    id: approvalIdOf(batch.batchId),
    tenant: batch.tenant,
    runId: batch.batchId,
    action: batchAction,
    target: batch.batchId,
    revision: 1,
    arguments: { amount: sum, reason: batch.asked?.reason ?? 'goodwill' },
    linesHash: hash,
  } as const;
  return {
    ...draft,
    proposalHash: proposalHash(draft),
    status: 'open',
    requester: batch.requester,
    ...(batch.onBehalfOf === null ? {} : { onBehalfOf: batch.onBehalfOf }),
    policy: judged,
    votes: [],
    proposals: [{ revision: 1, by: batch.requester, minor: sum.minor }],
    openedAt: now,
    deadline: now + judged.expiryHours * hourMs,
    escalatedTo: [],
  };
}

/** As for one refund of the whole sum, and never automatic: what nobody is asked about needs no manifest. */
export function policyForManifest(policy: Policy, sum: Money): PolicyDecision {
  const nothing = { payment: 0, customer: 0, automaticByPrincipal: 0, automaticByTenant: 0 };
  const decision = evaluatePolicy(policy, sum, nothing);
  if (decision.decision !== 'automatic') return decision;
  return {
    ...decision,
    decision: 'approval',
    needed: 1,
    ruleIds: [...decision.ruleIds, 'manifest-stays-with-people'],
    explanation: 'One approver must agree: a manifest is never automatic.',
  };
}
