import { difference } from '../../../src/domain/reconciliation/compare';
import type { LedgerFixture } from './ledgerFixture';

const threadOf = (tenant: string) => `'thr_${(tenant === 'acme' ? 'a' : 'b').repeat(32)}'`;

const agentRunOf = (tenant: string) => threadOf(tenant).replace('thr_', 'agr_');

/** A row of this tenant in every table that has a tenant. */
export async function fillEveryTable(ledger: LedgerFixture, tenant: string): Promise<void> {
  const paymentId = await ledger.adopted(10_000, {}, tenant);
  const runId = await ledger.reserved(paymentId, 100, {}, tenant);
  await ledger.in(async (unit) => {
    await unit.effects.begin(`${runId}:issue_refund`, runId, 'issue_refund', 'request');
    await unit.audit.append({ runId, actor: 'a', event: 'e', step: 's' });
    await unit.reviews.record({ id: `rev-${tenant}`, runId, action: 'retry', actor: 'a' });
    await unit.outbox.owe({ runId, kind: 'start', ref: 'start' });
    await unit.ledger.release(runId);
    await unit.audit.append({ runId, actor: 'a', event: 'released', step: 'release' });
    await unit.reconciliations.create({ id: `rec-${tenant}`, requestedBy: 'a', from: 0, to: 1 });
    await unit.differences.replace(`rec-${tenant}`, paymentId, [
      difference('refund_missing', { ours: null, theirs: null, explanation: 'e' }),
    ]);
    const data = {};
    await unit.notifications.tell({
      key: `${runId}:n`,
      runId,
      recipient: null,
      template: 'refund_failed',
      data,
    });
  }, tenant);
  const owner = `'${tenant}', 'owner'`;
  for (const statement of [
    `insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, opened_at, deadline)
     values ('a-${tenant}', '${tenant}', '${runId}', 'e', 'open', 'g', 1, 'USD', '{}', now(), now())`,
    `insert into channel_keys (kid, tenant, public_jwk, confirmed_by) values ('c-${tenant}', '${tenant}', '{}', 'other')`,
    `insert into approval_revisions values ('a-${tenant}', 1, '${tenant}', 'hash-${tenant}', '{}', 'me')`,
    `insert into refund_lines values ('${runId}', '${tenant}', 'order', 'sku', 0, 1, 100, 1, 100)`,
    `insert into refund_splits (split_id, tenant, requester, order_id, currency, amount, request)
     values ('spl-${tenant}', '${tenant}', 'a', 'order', 'USD', 1, '{}')`,
    `insert into decisions (approval_id, decision_id, tenant, run_id, content, decision, channel, received_at, status)
     values ('a-${tenant}', 'd', '${tenant}', '${runId}', 'c', '{}', 'api', now(), 'recorded')`,
    `insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
     values ('d-${tenant}', ${owner}, 'semantic', 'k', true, '{r}', 'v', 'r', 'a', 'person')`,
    `insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
     values ('m-${tenant}', ${owner}, 'semantic', 'k', 'v', 'inferred', 1, '[]', false, 1, 'd-${tenant}', now())`,
    `insert into memory_pins values (${owner}, 'semantic', 'k', 'a')`,
    `insert into spoken_for values ('${tenant}', '${runId}', 's', 'somebody')`,
    `insert into agent_runs (run_id, tenant, fingerprint, requester, key_id, status, state)
     values (${agentRunOf(tenant)}, '${tenant}', 'f', 'a', 'k', 'pending', '{}')`,
    `insert into agent_run_texts (run_id, tenant, owner, goal) values (${agentRunOf(tenant)}, ${owner}, 'g')`,
    `insert into audit_anchors values ('${tenant}', 1, now(), 'jws')`,
    `insert into audit_anchor_heads values ('${tenant}', 1, '${runId}', 1, 'hash')`,
    `insert into retention_rules values ('${tenant}', 1, 1, 1, 1, 'a')`,
    `insert into legal_holds (id, tenant, scope, reason, placed_by) values ('h-${tenant}', '${tenant}', 'tenant', 'r', 'a')`,
    `insert into erasures (id, tenant, subject, own, state, requested_by) values ('e-${tenant}', '${tenant}', 's', false, 'unconfirmed', 'a')`,
    `insert into threads (id, tenant, owner, created_by) values (${threadOf(tenant)}, ${owner}, 'a')`,
    `insert into thread_turns (thread_id, seq, tenant, owner, role, text, author, mentions)
     values (${threadOf(tenant)}, 1, ${owner}, 'user', 'hello', 'a', '{}')`,
    `insert into thread_compactions (thread_id, up_to, strategy, format, tenant, owner, content)
     values (${threadOf(tenant)}, 1, 'structured_summary', 1, ${owner}, '{}')`,
    `insert into memory_tombstones values ('t-${tenant}', ${owner}, 1, 'a')`,
    `insert into batches (batch_id, tenant, kind, requester, approval, dry_run, rows)
     values ('ing_${tenant}', '${tenant}', 'documents', 'a', 'each', false, 1)`,
    `insert into batch_items (batch_id, row, tenant, state) values ('ing_${tenant}', 1, '${tenant}', 'ready')`,
    `insert into web_sessions (id, tenant, key_id, expires_at)
     select 's-${tenant}', tenant, id, now() from api_keys where tenant = '${tenant}' limit 1`,
    `insert into knowledge_documents (tenant, id, version, content_hash, ingested_by) values ('${tenant}', 'doc', 1, 'h', 'a')`,
    `insert into knowledge_passages (tenant, document, version, number, headings, starts_at, ends_at, quote, instructs, words, ids)
     values ('${tenant}', 'doc', 1, 1, '{}', 0, 1, 'q', false, '', '{}')`,
    `insert into memory_candidates (id, tenant, owner, decision_id, kind, key, value, source, confidence, evidence,
       personal, proposed_by, proposed_by_kind, rule_ids, proposal_hash, deadline)
     values ('c-${tenant}', ${owner}, 'd-${tenant}', 'procedural', 'k', 'v', 'inferred', 1, '[]', false, 'a', 'agent', '{r}', 'h', now())`,
    `insert into memory_sources (id, tenant, kind, ref, hold, reason, actor)
     values ('s-${tenant}', '${tenant}', 'turn', 'r', 'quarantine', 'wrong', 'a')`,
    `insert into memory_holds (id, memory_id, tenant, owner, hold, reason, actor, held_at)
     values ('h-${tenant}', 'm-${tenant}', ${owner}, 'quarantine', 'wrong', 'a', now())`,
  ]) {
    await ledger.rows(statement);
  }
}
