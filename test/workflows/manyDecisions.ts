import type { ApprovalView } from '../../src/application/views';
import type { Answer } from '../support/api';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';
import { auditOf, paidOut } from './evidence';

interface Ground {
  readonly stack: () => TestStack;
  readonly opened: (
    amount: string,
    more?: Record<string, unknown>,
  ) => Promise<{ charge: string; approval: ApprovalView }>;
}

interface Item {
  readonly approvalId: string;
  readonly status: string;
  readonly approval?: ApprovalView;
  readonly problem?: Record<string, unknown>;
}

/** One decision about many approvals; over a stack that runs already. */
export function manyDecisions({ stack, opened }: Ground): void {
  const path = '/v1/approvals/decisions';
  const named = ({ id, proposalHash }: Pick<ApprovalView, 'id' | 'proposalHash'>) => ({
    approvalId: id,
    proposalHash,
  });
  const decideMany = (
    who: Parameters<TestStack['as']>[0],
    approvals: Pick<ApprovalView, 'id' | 'proposalHash'>[],
    more: Record<string, unknown> = {},
  ): Promise<Answer> =>
    stack()
      .as(who)
      .call('POST', path, { decision: 'approve', items: approvals.map(named), ...more });
  const itemsOf = ({ body }: Answer<{ items: Item[] }>) => body.items;
  const asOwner = (statement: string): Promise<unknown[]> => query(stack().database.adminUrl, statement);
  /** All but what is new with every request. */
  const bytes = (problem: unknown) => JSON.stringify({ ...(problem as object), requestId: '' });

  test('R21, R23, R25, R38: each of many is decided by itself and answered in order; a refusal has the bytes of the single door', async () => {
    const [paid, half, own, stale, decided] = await Promise.all([
      opened('120.00'),
      opened('800.00'),
      opened('120.00', { onBehalfOf: 'reviewer1' }),
      opened('120.00'),
      opened('120.00'),
    ]);
    const paymentId = await stack().provider.charge(100_000);
    const foreign = await stack().as('service', 'globex').openApproval({ paymentId, amount: '120.00' });
    await stack()
      .as('reviewer2')
      .decide(stale.approval, 'edit', { arguments: { amount: { value: '130.00', currency: 'USD' } } });
    await stack().as('lead').decide(decided.approval, 'reject');
    const unknown = { id: 'apr_nobody', proposalHash: 'f'.repeat(64) };
    const asked = [foreign, paid.approval, own.approval, half.approval, stale.approval, unknown];
    const all = [...asked, decided.approval];

    const answer = await decideMany('reviewer1', all, { comment: 'lot 7' });
    const items = itemsOf(answer);
    expect(answer.status).toBe(200);
    expect(items.map(({ approvalId }) => approvalId)).toEqual(all.map(({ id }) => id));
    expect(items.map(({ approval, problem }) => problem?.['code'] ?? approval?.status)).toEqual([
      ...['not_found', 'approved', 'separation_of_duties', 'open', 'decision_stale', 'not_found'],
      'already_decided',
    ]);
    expect(items[3]?.approval).toMatchObject({ needed: 2, votes: [{ actor: 'reviewer1' }] });
    for (const [place, item] of items.entries()) {
      const [approval, status] = [all[place] ?? unknown, item.problem?.['status']];
      if (status === undefined) continue;
      const single = await stack().as('reviewer1').decide(approval, 'approve', { comment: 'lot 7' });
      expect([single.status, bytes(item.problem)]).toEqual([status, bytes(single.body)]);
    }
    expect(bytes(items[0]?.problem)).toBe(bytes(items[5]?.problem));
    expect((await auditOf(stack(), own.approval.runId)).map(({ reason }) => reason)).toContain(
      'separation_of_duties',
    );

    const again = itemsOf(await decideMany('reviewer1', all, { comment: 'lot 7' }));
    expect(again.map(({ status }) => status)).toEqual(items.map(({ status }) => status));
    const second = itemsOf(await decideMany('reviewer2', [half.approval]));
    expect(second[0]).toMatchObject({ status: 'applied', approval: { status: 'approved' } });
    for (const { approval, charge } of [paid, half]) {
      await stack().as('service').untilPhase(approval.runId, 'completed');
      expect(await paidOut(stack(), charge)).toHaveLength(1);
    }
    for (const { charge } of [own, stale, decided]) expect(await paidOut(stack(), charge)).toEqual([]);
    const { timeline } = await stack().as('lead').approval(paid.approval.id);
    expect(timeline.map(({ decision, comment }) => [decision, comment])).toEqual([['approve', 'lot 7']]);
  });

  test('R25: one that fails here takes none of the others with it, and sent again it is decided', async () => {
    const [one, broken, other] = await Promise.all([opened('60.00'), opened('70.00'), opened('80.00')]);
    const approvals = [one.approval, broken.approval, other.approval];
    const rule = `check (approval_id <> '${broken.approval.id}') not valid`;
    await asOwner(`alter table decisions add constraint broken_here ${rule}`);
    const first = itemsOf(await decideMany('lead', approvals, { decision: 'reject', reasonCode: 'other' }));
    await asOwner('alter table decisions drop constraint broken_here');
    expect(first.map(({ status, problem }) => problem?.['code'] ?? status)).toEqual([
      ...['applied', 'internal', 'applied'],
    ]);
    const again = itemsOf(await decideMany('lead', approvals, { decision: 'reject', reasonCode: 'other' }));
    expect(again.map(({ status }) => status)).toEqual(['applied', 'applied', 'applied']);
    for (const { approval } of again)
      expect(approval?.decidedBy).toMatchObject({ actor: 'lead', reasonCode: 'other' });
  });

  test('R41: what is no decision about many is refused as a whole, and decides nothing', async () => {
    const { approval } = await opened('90.00');
    const unknown = Array.from({ length: 101 }, (_, i) => ({ id: `apr_${i}`, proposalHash: 'f'.repeat(64) }));
    for (const [approvals, more, code] of [
      [[approval, approval], {}, 'invalid_request'],
      [[], {}, 'invalid_request'],
      [unknown, {}, 'invalid_request'],
      [[approval], { decision: 'edit' }, 'invalid_request'],
      [[approval], { reasonCode: 'other' }, 'invalid_request'],
      [[approval], { to: 'lead' }, 'invalid_request'],
      [[approval], { comment: 'card 4242 4242 4242 4242' }, 'sensitive_text'],
    ] as const) {
      const { status, body }: Answer<{ code: string }> = await decideMany('reviewer1', [...approvals], more);
      expect([more, status, body.code]).toEqual([more, 422, code]);
    }
    expect(itemsOf(await decideMany('admin', [approval]))[0]?.problem).toMatchObject({ status: 403 });
    expect(await asOwner(`select 1 from decisions where approval_id = '${approval.id}'`)).toEqual([]);
  });
}
