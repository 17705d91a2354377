import type { ApprovalView } from '../../src/application/views';
import type { CliRun } from './runCli';

interface Ground {
  readonly open: (amount: string, more?: Record<string, unknown>) => Promise<ApprovalView>;
  readonly paid: (charge: string) => Promise<number[]>;
  readonly reviewer1: (...args: string[]) => Promise<CliRun>;
}

/** Several approvals in one command; over a stack that runs already. */
export function decidedTogether({ open, paid, reviewer1 }: Ground): void {
  test('R21: several are shown with their sum, asked about, and decided each by itself; one refused exits 1', async () => {
    const [one, own, other] = await Promise.all([
      open('120.00'),
      open('80.00', { onBehalfOf: 'reviewer1' }),
      open('100.00'),
    ]);
    const ids = [one.id, own.id, 'apr_none', other.id];
    const asked = await reviewer1('approvals', 'approve', ...ids);
    expect([asked.code, asked.stdout]).toEqual([2, '']);
    for (const { id, proposalHash } of [one, own, other])
      expect(asked.stderr).toMatch(new RegExp(`${id} .*${proposalHash}`));
    expect(asked.stderr).toContain('Approve 3 approvals, 300.00 USD? Add --yes if that is meant.');
    expect(await paid(one.target)).toEqual([]);

    const decided = await reviewer1('approvals', 'approve', ...ids, '--yes', '--comment', 'lot 7');
    expect(decided.code).toBe(1);
    expect(decided.stdout).toMatch(new RegExp(`${one.id} +120.00 USD +approved`));
    expect(decided.stdout).toMatch(
      new RegExp(`${own.id} +80.00 USD +refused, separation_of_duties +Whoever`),
    );
    expect(decided.stdout).toMatch(/apr_none +refused, not_found/);
    expect(decided.stderr).toContain(
      `2 of 4 refused; see what became of one with: countersign approvals show`,
    );
    // Sent again it answers as the first time.
    const again = await reviewer1(
      'approvals',
      'approve',
      one.id,
      other.id,
      '--yes',
      '--comment',
      'lot 7',
      '--json',
    );
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.json.items).toMatchObject(
      [one, other].map(({ id }) => ({ approvalId: id, status: 'applied' })),
    );
  });

  test('an id twice, too many of them, and what names one decision alone are wrong usage', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `apr_${i}`);
    const wrong: [args: string[], says: string][] = [
      [['apr_1', 'apr_1', '--yes'], 'apr_1 is named twice'],
      [['apr_1', 'apr_2', '--hash', 'f'.repeat(64)], '--hash is about one approval'],
      [['apr_1', 'apr_2', '--decision-id', 'd1'], '--decision-id is about one approval'],
      [many, 'at most 100 approvals'],
    ];
    const runs = await Promise.all(
      wrong.map(([args]) => reviewer1('approvals', 'reject', ...args, '--json')),
    );
    for (const [place, { code, problem }] of runs.entries()) {
      expect([code, problem.detail]).toEqual([2, expect.stringContaining(wrong[place]?.[1] ?? '')]);
    }
  });
}
