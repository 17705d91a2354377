import type { Unit } from '../../src/ports/store';
import type { RuleFixture } from './ruleFixture';

/** What an erasure and a sweep do about rules of procedure; over a fixture that is open already. */
export function erasedRules(opened: () => RuleFixture): void {
  test('R49: an erasure ends it, takes what people said about it, and nothing of its owner is left; a sweep does so in time', async () => {
    const fixture = opened();
    const { activities } = fixture;
    const [open, done] = [
      await fixture.opened(await fixture.proposed('cus_ines')),
      await fixture.opened(await fixture.proposed('cus_ines', { key: 'procedure/b' })),
    ];
    await fixture.decided(done, 'admin', 'reject');
    const runs = (unit: Unit) => unit.personal.runsOf('cus_ines', undefined, 10);
    expect(await activities.in(runs)).toEqual(
      [
        { runId: open.runId, ended: false, held: false },
        { runId: done.runId, ended: true, held: false },
      ].sort((a, b) => (a.runId < b.runId ? -1 : 1)),
    );
    expect(await activities.in((unit) => unit.retention.agedRuns(100))).not.toContain(done.runId);
    await fixture.rows(
      `update approvals set state = jsonb_set(state, '{decidedBy,at}', to_jsonb(1)) where run_id = '${done.runId}'`,
    );
    expect(await activities.in((unit) => unit.retention.agedRuns(100))).toContain(done.runId);

    await activities.in(async ({ erasures }) => {
      await erasures.request({ id: 'era_1', subject: 'cus_ines', own: false, requestedBy: 'admin' });
      await erasures.confirm('era_1', 'admin2');
    });
    await activities.in((unit) => unit.personal.eraseRecords('era_1', 'cus_ines'));
    expect(await fixture.owed(open.runId)).toContainEqual({ kind: 'memory', ref: 'gone' });
    expect(await fixture.isGone(open)).toBe(true);
    await fixture.close(open, 'cancelled');
    for (const { runId } of [open, done]) await activities.in((unit) => unit.personal.eraseRun(runId));
    expect(await activities.in(runs)).toEqual([]);
    await fixture.rows(`delete from erasures`);
    expect(JSON.stringify(await activities.everyRow())).not.toContain('cus_ines');
  });
}
