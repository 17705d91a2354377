import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { apiCaller, approvalIdOf } from '../support/api';
import { answers, until } from '../support/processes';
import { createDatabase, createProviderDatabase } from '../support/database';
import { TestProvider } from '../support/provider';
import { fromSetup } from '../support/shared';
import { isAlive, pidsOf, scratch, startUp, type Up } from './runningUp';

async function charge({ report }: Up, amount: number): Promise<string> {
  const response = await fetch(`${report.providerUrl}/v1/charges`, {
    method: 'POST',
    headers: { authorization: `Bearer ${report.providerKey}` },
    body: new URLSearchParams({ amount: String(amount), currency: 'usd', source: 'tok_visa' }),
  });
  return ((await response.json()) as { id: string }).id;
}

describe('countersign up', () => {
  const folder = scratch();
  let running: Up | undefined;
  afterAll(async () => {
    await running?.stop();
    folder.remove();
  });

  test('prints one JSON line with every address, pid and token, and keeps the same in up.json', async () => {
    running = await startUp(folder.path, ['--workers', '2']);
    const { report } = running;
    expect(Object.keys(report).sort()).toEqual(
      [
        'apiUrl',
        'databaseUrl',
        'dataDir',
        'inboxUrl',
        'pids',
        'providerKey',
        'providerUrl',
        'temporalAddress',
        'temporalUiUrl',
        'tokens',
      ].sort(),
    );
    expect(Object.keys(report.tokens)).toEqual(['acme', 'globex']);
    expect(Object.keys(report.tokens.acme)).toEqual([
      'service',
      'agent',
      'reviewer1',
      'reviewer2',
      'lead',
      'admin',
    ]);
    expect(report.pids.workers).toHaveLength(2);
    expect(pidsOf(report).every(isAlive)).toBe(true);
    expect(running.current()).toEqual(report);
    expect(await answers(`${report.apiUrl}/readyz`)).toBe(true);
    expect(await answers(report.temporalUiUrl ?? '')).toBe(true);
  }, 120_000);

  test("R17: the sandbox provider's events reach the API: a refund that fails later reopens its run", async () => {
    if (!running) throw new Error('it did not start');
    const { report } = running;
    const service = apiCaller(report.apiUrl, report.tokens.acme.service);
    const started = await service.startRefund({ paymentId: await charge(running, 5_000), amount: '10.00' });
    const done = await service.untilPhase(started.body.runId, 'completed');
    const secrets = JSON.parse(readFileSync(join(report.dataDir, 'secrets.json'), 'utf8')) as Record<
      string,
      string
    >;
    const failed = await fetch(`${report.providerUrl}/sandbox/refunds/${done.result?.refundId}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secrets['provider-admin']}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status: 'failed' }),
    });
    expect(failed.status).toBe(200);
    await until(async () => (await service.refund(done.runId)).phase === 'needs_review');
  }, 60_000);

  test('R32: every part that is killed comes back on the same port, and the refund that waited is paid', async () => {
    if (!running) throw new Error('nothing runs');
    const up = running;
    const paymentId = await charge(up, 20_000);
    const service = apiCaller(up.report.apiUrl, up.report.tokens.acme.service);
    const reviewer = apiCaller(up.report.apiUrl, up.report.tokens.acme.reviewer1);
    const started = await service.startRefund({ paymentId, amount: '120.00' });
    const { runId } = started.body as { runId: string };
    await service.untilPhase(runId, 'waiting_approval');

    const before = up.report.pids;
    const killed = pidsOf(up.report);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const now = pidsOf(up.current());
      return now.length === killed.length && now.every((pid) => !killed.includes(pid) && isAlive(pid));
    }, 90_000);
    await until(() => answers(`${up.report.apiUrl}/readyz`), 30_000);
    expect(up.current()).toMatchObject({ apiUrl: up.report.apiUrl, providerUrl: up.report.providerUrl });
    expect(up.current().pids).not.toEqual(before);

    await reviewer.decide(await reviewer.approval(approvalIdOf(runId)), 'approve');
    await service.untilPhase(runId, 'completed', 60_000);
  }, 180_000);

  test('a second up on the same folder is told who has it; Ctrl-C leaves no process behind; the next one resumes', async () => {
    if (!running) throw new Error('nothing runs');
    const first = running;
    await expect(startUp(folder.path)).rejects.toThrow(String(first.child.pid));

    const paymentId = await charge(first, 20_000);
    const started = await apiCaller(first.report.apiUrl, first.report.tokens.acme.service).startRefund({
      paymentId,
      amount: '100.00',
    });
    const { runId } = started.body as { runId: string };
    await apiCaller(first.report.apiUrl, first.report.tokens.acme.service).untilPhase(
      runId,
      'waiting_approval',
    );
    const pids = pidsOf(first.current());
    const gone = new Promise((resolve) => first.child.once('exit', resolve));
    // A terminal sends Ctrl-C to the whole group.
    process.kill(-(first.child.pid ?? 0), 'SIGINT');
    expect(await gone).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);

    running = await startUp(folder.path);
    expect(running.report).toMatchObject({ apiUrl: first.report.apiUrl, tokens: first.report.tokens });
    const reviewer = apiCaller(running.report.apiUrl, running.report.tokens.acme.reviewer1);
    await reviewer.decide(await reviewer.approval(approvalIdOf(runId)), 'approve');
    await apiCaller(running.report.apiUrl, running.report.tokens.acme.service).untilPhase(
      runId,
      'completed',
      30_000,
    );
  }, 180_000);

  test('killed without a word, and with half of its folder gone, the next up heals it', async () => {
    if (!running) throw new Error('nothing runs');
    const pids = pidsOf(running.current());
    const gone = new Promise((resolve) => running?.child.once('exit', resolve));
    running.child.kill('SIGKILL');
    await gone;
    rmSync(join(folder.path, 'up.json'), { force: true });
    rmSync(join(folder.path, 'run'), { recursive: true, force: true });
    running = await startUp(folder.path);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await answers(`${running.report.apiUrl}/readyz`)).toBe(true);
  }, 120_000);
});

describe('countersign up with parts that run elsewhere', () => {
  const folder = scratch();
  afterAll(() => folder.remove());

  test('starts only what the environment does not name; those parts have no pid', async () => {
    const [database, provider] = await Promise.all([createDatabase(), TestProvider.start()]);
    const unused = await createProviderDatabase();
    const up = await startUp(folder.path, [], {
      TEMPORAL_ADDRESS: fromSetup('TEMPORAL_ADDRESS'),
      DATABASE_URL: database.url,
      COUNTERSIGN_MIGRATION_DATABASE_URL: database.ownerUrl,
      STRIPE_API_BASE: provider.url,
      STRIPE_API_KEY: provider.key,
    });
    try {
      expect(up.report.pids).toMatchObject({ temporal: null, postgres: null, provider: null });
      expect(up.report).toMatchObject({
        databaseUrl: database.url,
        providerUrl: provider.url,
        temporalUiUrl: null,
      });
      const service = apiCaller(up.report.apiUrl, up.report.tokens.acme.service);
      const started = await service.startRefund({ paymentId: await provider.charge(5_000), amount: '20.00' });
      await service.untilPhase(started.body.runId, 'completed');
      const log = readFileSync(join(folder.path, 'logs', 'api.log'), 'utf8');
      expect(log).not.toContain(provider.key);
    } finally {
      await up.stop();
      await Promise.all([provider.stop(), database.drop(), unused.drop()]);
    }
  }, 120_000);
});
