import { sql } from 'kysely';
import type { Transaction } from '../../../adapters/postgres/database';
import { reviewerFacts } from '../../../domain/approval/facts';
import type { ApprovalState } from '../../../domain/approval/state';
import { evaluatePolicy } from '../../../domain/policy/evaluate';
import { embeddedPolicy } from '../../../sandbox/embeddedTenants';
import { seeded } from '../memory/corpus';

const rowsAStatement = 1_000;
const hourMs = 3_600_000;
/** Of one customer there are so many. */
const ofOneCustomer = 5;

/** `count` approvals of a tenant that wait for people, as their runs would have left them. By the owner's login. */
export async function fillInbox(trx: Transaction, tenant: string, count: number, now: number): Promise<void> {
  const random = seeded(5);
  for (let from = 0; from < count; from += rowsAStatement) {
    const size = Math.min(rowsAStatement, count - from);
    const made = Array.from({ length: size }, (_, i) => openApproval(tenant, from + i, random, now));
    const json = JSON.stringify(made);
    await sql`
      with made as (
        select * from jsonb_to_recordset(${json}::jsonb)
          as r (n int, run text, payment text, customer text, minor bigint, state jsonb, facts jsonb, opened timestamptz, deadline timestamptz)
      ), paid as (
        insert into payments (account, payment_id, tenant, currency, captured, reserved, paid_at, read_at, customer)
        select ${tenant}, payment, ${tenant}, 'USD', minor * 2, minor, opened, opened, customer from made
      ), ran as (
        insert into runs (run_id, tenant, phase, requester, payment_id, currency, amount, money, customer, request, created_at)
        select run, ${tenant}, 'waiting_approval', 'service', payment, 'USD', minor, 'reserved', customer,
          jsonb_build_object('paymentId', payment, 'amount', state #> '{arguments,amount}', 'reason', 'damaged', 'customerId', customer), opened
        from made
      ), opened as (
        insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, facts, opened_at, deadline)
        select state ->> 'id', ${tenant}, run, 'bench', 'open', 'approvers', minor, 'USD', state, facts, opened, deadline from made
      ), told as (
        insert into audit (tenant, run_id, actor, event, step, seq, at, prev_hash, hash)
        select ${tenant}, run, 'service', 'requested', 'request', 0, opened, '', '' from made
      )
      insert into approval_revisions (approval_id, revision, tenant, proposal_hash, arguments, proposed_by)
      select state ->> 'id', 1, ${tenant}, state ->> 'proposalHash', state -> 'arguments', 'service' from made`.execute(
      trx,
    );
    // Or the checks of foreign keys go on as if the tables were empty.
    if (from === 0) await sql`analyze runs, approvals, payments`.execute(trx);
  }
}

function openApproval(tenant: string, n: number, random: () => number, now: number) {
  const id = `${tenant}_${String(n).padStart(7, '0')}`;
  const minor = 5_100 + Math.floor(random() * 40_000);
  const amount = { minor, currency: 'USD' };
  const openedAt = now - Math.floor(random() * 70 * hourMs);
  const [run, payment, customer] = [
    `run_${id}`,
    `ch_${id}`,
    `cus_${tenant}_${Math.floor(n / ofOneCustomer)}`,
  ];
  const sums = { payment: minor, customer: minor, automaticByPrincipal: 0, automaticByTenant: 0 };
  const state: ApprovalState = {
    id: approvalId(tenant, n),
    tenant,
    runId: run,
    action: 'issue_refund',
    target: payment,
    revision: 1,
    proposalHash: `hash-${id}`,
    arguments: { amount, reason: 'damaged' },
    status: 'open',
    requester: 'service',
    policy: evaluatePolicy(embeddedPolicy, amount, sums),
    votes: [],
    proposals: [{ revision: 1, by: 'service', minor }],
    openedAt,
    deadline: openedAt + 72 * hourMs,
    escalatedTo: [],
  };
  const note = `The parcel of order ORDER-${n} arrived broken`;
  const facts = reviewerFacts(
    { customer, request: { orderId: `ORDER-${n}` }, note, splitId: null, lines: [] },
    { currency: 'USD', captured: minor * 2, refunded: 0, reserved: minor, disputed: 0, paidAt: openedAt },
  );
  const times = { opened: new Date(openedAt), deadline: new Date(state.deadline) };
  return { n, run, payment, customer, minor, state, facts, ...times };
}

export function approvalId(tenant: string, n: number): string {
  return `apr_${tenant}_${String(n).padStart(7, '0')}`;
}
