import { batchIntake } from '../../src/application/batches/intake';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { refundWorkflowId } from '../../src/domain/contract';
import type { RefundInput } from '../../src/domain/refund/state';
import type { NewItem } from '../../src/ports/batches';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());

const tenant = 'acme';
const usd = (minor: number) => ({ minor, currency: 'USD' });
let made = 0;

/** A batch whose manifest reviewer1 has approved; nothing of it has started. `amounts` in minor units, row by row. */
async function approved(...amounts: number[]): Promise<string> {
  made += 1;
  const batchId = `bat_${made}`;
  const items: NewItem[] = [];
  for (const [index, minor] of amounts.entries()) {
    const paymentId = await stand.provider.charge(100_000);
    const request = { paymentId, amount: usd(minor), reason: 'damaged' } as const;
    const named = { row: index + 1, name: null, runId: `run_${batchId}_${index + 1}`, fingerprint: 'f' };
    items.push({ ...named, refund: { key: `${batchId} ${index + 1}`, request } });
  }
  await stand.in((unit) =>
    unit.batches.create({
      batchId,
      kind: 'refunds',
      requester: 'service',
      onBehalfOf: null,
      approval: 'manifest',
      dryRun: false,
      ...{ idempotencyKey: batchId, fingerprint: 'f', items, leftOut: [] },
      asked: { amount: usd(amounts.reduce((sum, minor) => sum + minor, 0)), reason: 'damaged' },
    }),
  );
  const at = { tenant, batchId };
  await stand.run('checkBatch', at);
  const frozen = await stand.run('freezeManifest', { ...at, epoch: stand.epoch, now: Date.now() });
  if (frozen.kind !== 'ask') throw new Error(`nobody is asked: ${frozen.kind}`);
  let { approval } = frozen;
  for (const who of ['reviewer1', 'reviewer2'].slice(0, approval.policy.needed)) {
    const message = await stand.recorded(stand.envelope(approval, who, 'approve'));
    ({ approval } = await stand.run('applyDecision', stand.toApply(approval, message)));
  }
  expect(await stand.run('openBatch', { ...at, epoch: stand.epoch, votedIn: stand.epoch })).toEqual({
    kind: 'open',
  });
  return batchId;
}

const admit = (batchId: string, window: number) =>
  stand.run('admitBatchItems', { tenant, batchId, window, started: [] });

/** As far as the run of a row comes before money would move. */
async function verdictOn(input: RefundInput | undefined) {
  if (!input) throw new Error('no row started');
  const { runId, paymentId, arguments: args } = input;
  const workflowId = refundWorkflowId(tenant, runId);
  expect(await stand.run('openRefund', { ...input, workflowId })).toMatchObject({ admitted: true });
  const policy = await stand.run('evaluatePolicy', { tenant, runId, amount: args.amount });
  expect(policy.decision).toBe('automatic');
  return stand.run('authorizeExecution', { tenant, runId, paymentId, arguments: args, epoch: stand.epoch });
}

const outcomes = async (batchId: string) =>
  (await stand.in((unit) => unit.batches.items(batchId, 0, 100))).map(({ outcome, code }) => [outcome, code]);

async function withReviewer<T>(change: string, back: string, work: () => Promise<T>): Promise<T> {
  const set = (to: string) =>
    query(stand.database.adminUrl, `update principals set ${to} where tenant = 'acme' and id = 'reviewer1'`);
  await set(change);
  return work().finally(() => set(back));
}

/** Another version of the policy that was there at first, for as long as `work` takes. Columns as SQL. */
async function underPolicy<T>(
  { document = 'document', cedar = 'cedar' }: { document?: string; cedar?: string },
  work: () => Promise<T>,
): Promise<T> {
  const publish = (columns: string) =>
    query(
      stand.database.adminUrl,
      `insert into policies (tenant, version, document, cedar) select 'acme', $1, ${columns}
       from policies where tenant = 'acme' order by published_at limit 1`,
      [`version-${(made += 1)}`],
    );
  await publish(`${document}, ${cedar}`);
  return work().finally(() => publish('document, cedar'));
}

const threeApprovers = { document: `jsonb_set(document, '{tiers,USD,1,approvers}', '3')` };
const notReviewer1 = {
  cedar: `cedar || ' @id("not-one") forbid (principal, action == Action::"approve", resource) when { principal.id == "reviewer1" };'`,
};

describe('the approval of a manifest, between it and the rows', () => {
  test('control: as it was approved, rows start and are paid', async () => {
    const batchId = await approved(6_000, 6_000);
    const { start, waiting } = await admit(batchId, 1);
    expect([start.length, waiting]).toEqual([1, 1]);
    expect(await verdictOn(start[0])).toEqual({ verdict: 'execute' });
  });

  test.each([
    ['is not active any more', 'active = false', 'active = true'],
    ['has lost the role', `groups = '{}'`, `groups = '{approvers,proposers}'`],
    ['has a limit below the sum', 'limit_major = 100', 'limit_major = 5000'],
  ])(
    'R23: who approved it %s: no further row starts, what started is not paid, all are named',
    async (_how, change, back) => {
      const batchId = await approved(6_000, 6_000, 6_000);
      const [first] = (await admit(batchId, 1)).start;
      await withReviewer(change, back, async () => {
        expect(await verdictOn(first)).toMatchObject({ verdict: 'refused', code: 'batch_approval_void' });
        expect(await admit(batchId, 10)).toMatchObject({ waiting: 0, start: [{ runId: first?.runId }] });
      });
      // The role given back later starts nothing that was left out.
      expect((await admit(batchId, 10)).start).toHaveLength(1);
      expect((await outcomes(batchId)).slice(1)).toEqual([
        ['left_out', 'batch_approval_void'],
        ['left_out', 'batch_approval_void'],
      ]);
      expect(await stand.events(batchId)).toContain('batch_rest_left_out');
    },
  );

  test.each([
    ['asks for more people to the whole', 'batch_item_stricter', threeApprovers],
    ['does not let who approved it any more', 'batch_approval_void', notReviewer1],
  ])('R20: policy %s: no further row starts, and each is named %s', async (_how, code, policy) => {
    const batchId = await approved(6_000, 6_000, 6_000);
    const [first] = (await admit(batchId, 1)).start;
    await underPolicy(policy, async () => {
      expect(await verdictOn(first)).toMatchObject({ verdict: 'refused', code });
      expect((await admit(batchId, 10)).waiting).toBe(0);
    });
    expect((await outcomes(batchId)).slice(1)).toEqual([
      ['left_out', code],
      ['left_out', code],
    ]);
  });

  test('R20: policy asks for more people to one row: that one is not paid, and the others are', async () => {
    const batchId = await approved(6_000, 60_000);
    await underPolicy(threeApprovers, async () => {
      const { start } = await admit(batchId, 10);
      expect(start).toHaveLength(2);
      expect(await verdictOn(start[0])).toMatchObject({ verdict: 'refused', code: 'batch_item_stricter' });
      expect(await verdictOn(start[1])).toEqual({ verdict: 'execute' });
    });
  });

  test('a row that is taken in while the batch is being paused or cancelled does not start', async () => {
    const batchId = await approved(6_000);
    const intake = batchIntake({ store: stand.store, authorization: new CedarAuthorization() });
    const [item] = await stand.in((unit) => unit.batchItems.take(batchId, 'ready', 1));
    if (!item) throw new Error('there is a row');
    for (const change of [{ paused: { by: 'service' } }, { paused: null, cancelledBy: 'service' }]) {
      await stand.in((unit) => unit.batches.change(batchId, change));
      expect(await intake.takeIn(tenant, batchId, item)).toEqual({ kind: 'not_now' });
    }
    expect(await stand.in((unit) => unit.runs.find(item.runId))).toBeUndefined();
  });
});
