import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { until } from '../support/processes';
import { query } from '../support/database';
import { refundCalls } from '../workflows/evidence';
import { Scene } from './scene';
import { seeded } from './seeded';
import { wrongs } from './settled';
import { storms, type Storm, type Wish } from './storm';

const captured = 4_000;
const parameters = seeded(4);

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

/** Every request of one wish, under its one key; they answer with one run, or all with the same refusal. */
async function ask(charges: readonly string[], { payment, amount, sends }: Wish): Promise<void> {
  const key = randomUUID();
  const paymentId = charges[payment] ?? '';
  const value = (amount / 100).toFixed(2);
  const answers = await Promise.all(
    Array.from({ length: sends }, () => scene.service.startRefund({ paymentId, amount: value, key })),
  );
  for (const { status, text } of answers)
    if (![202, 422].includes(status)) throw new Error(`a refund was answered with ${status} ${text}`);
  const runs = new Set(
    answers.filter(({ status }) => status === 202).map(({ body }) => (body as { runId: string }).runId),
  );
  if (runs.size > 1) throw new Error('one key gave two runs');
}

async function kill(charges: readonly string[], { deaths }: Storm, over: () => boolean): Promise<void> {
  for (const after of [...deaths].sort((a, b) => a - b)) {
    await until(async () => {
      const calls = await Promise.all(charges.map((charge) => refundCalls(scene.stack, charge)));
      return over() || calls.flat().length >= after;
    }, 60_000);
    await scene.stack.killWorkers('SIGKILL');
    await scene.stack.startWorker();
  }
}

const phasesOf = (charges: readonly string[]) =>
  query<{ run_id: string; phase: string }>(
    scene.stack.database.adminUrl,
    'select run_id, phase from runs where payment_id = any($1)',
    [charges],
  );
const rests = new Set(['completed', 'rejected', 'failed', 'needs_review', 'cancelled', 'expired']);

/** Comes to rest: ended, or shown to a person. What only time would bring to a person gets its time skipped. */
async function comeToRest(charges: readonly string[]): Promise<void> {
  const moving = async () => (await phasesOf(charges)).filter(({ phase }) => !rests.has(phase));
  await until(async () => {
    const still = await moving();
    if (still.length === 0) return true;
    const replaying = await Promise.all(
      still.map(async ({ run_id }) => ({ run_id, error: await lastError(run_id) })),
    );
    for (const { run_id, error } of replaying)
      if (error === 'provider_error') await scene.stack.temporal.skipTime('acme', run_id);
    return false;
  }, 90_000);
}

async function lastError(runId: string): Promise<string | null> {
  const rows = await query<{ error_code: string | null }>(
    scene.stack.database.adminUrl,
    `select error_code from effects where run_id = $1 and state = 'unknown'`,
    [runId],
  );
  return rows[0]?.error_code ?? null;
}

/** What the provider changes after our call comes back by its events; they are awaited, since no run waits for them. */
async function newsIsIn(charges: readonly string[]): Promise<void> {
  await until(async () => {
    const refunds = (await Promise.all(charges.map((charge) => scene.stack.provider.refunds(charge)))).flat();
    const failed = refunds.filter(({ status }) => status === 'failed').map(({ id }) => id);
    const known = await query<{ provider_id: string }>(
      scene.stack.database.adminUrl,
      `select provider_id from effects where provider_id = any($1) and state = 'failed'`,
      [failed],
    );
    return known.length === failed.length && refunds.every(({ status }) => status !== 'pending');
  }, 60_000);
}

test(`R1, R6, R12, R19: whatever the provider, the network and our processes do, its money is the ledger's and every refund is paid once or shown to a person (seed ${parameters.seed})`, async () => {
  let storm = 0;
  await fc.assert(
    fc.asyncProperty(storms(captured), async (weather) => {
      storm += 1;
      const charges = [await scene.charge(captured), await scene.charge(captured)];
      for (const { payment, kind, settings } of weather.troubles)
        await scene.fault(charges[payment] ?? '', kind, settings);
      for (const { kind, settings } of weather.news)
        await scene.stack.provider.admin('POST', 'faults', {
          kind,
          match: { event: 'refund.*' },
          ...settings,
        });
      let over = false;
      const dying = kill(charges, weather, () => over);
      await Promise.all(weather.wishes.map((wish) => ask(charges, wish)));
      await comeToRest(charges);
      over = true;
      await dying;
      await newsIsIn(charges);
      await comeToRest(charges);
      await scene.stack.provider.admin('DELETE', 'faults');
      const found = await Promise.all(charges.map((charge) => wrongs(scene.stack, charge)));
      expect({ storm, found: found.flat() }).toEqual({ storm, found: [] });
    }),
    { ...parameters, endOnFailure: true },
  );
}, 500_000);
