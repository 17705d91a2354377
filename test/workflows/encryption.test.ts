import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { dataConverterFor } from '../../src/adapters/temporal/connection';
import { parseEncryptionKeys } from '../../src/adapters/temporal/encryptionKeys';
import { refundWorkflowId } from '../../src/domain/contract';
import { until } from '../support/processes';
import { launchChromium, visit } from '../support/browser';
import { fromSetup, testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { auditOf, eventsOf, historyOf, paidOut } from './evidence';

const [older, newer] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const uiOrigin = fromSetup('TEMPORAL_UI');
const settings = (keys: string) => ({
  COUNTERSIGN_ENCRYPTION_KEYS: keys,
  COUNTERSIGN_TEMPORAL_UI_URL: uiOrigin,
});

describe('encrypted histories', () => {
  let stack: TestStack;
  /** One run that began without encryption, one under the older key, one under the newer. */
  const runs: { runId: string; charge: string; id: string; proposalHash: string }[] = [];

  async function open(): Promise<void> {
    const charge = await stack.provider.charge(50_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    runs.push({ charge, ...approval });
  }

  async function restart(keys: string): Promise<void> {
    await Promise.all([stack.killWorkers(), stack.api.kill()]);
    await Promise.all([stack.startApi(settings(keys)), stack.startWorker(settings(keys))]);
  }

  beforeAll(async () => {
    stack = await TestStack.start();
    await open();
    await restart(older);
    await open();
    await restart(`${newer},${older}`);
    await open();
  });
  afterAll(() => stack.stop());

  const signalBytes = (runId: string, payload: Payload) =>
    stack.temporal.connection.workflowService.signalWorkflowExecution({
      namespace: stack.temporal.namespace,
      workflowExecution: { workflowId: refundWorkflowId('acme', runId) },
      signalName: 'approval',
      input: { payloads: [payload] },
    });

  test('R40: runs begun without encryption, and under a key that was rotated since, finish', async () => {
    for (const run of runs.slice(0, 2)) {
      expect((await stack.as('reviewer1').decide(run, 'approve')).status).toBe(200);
      await stack.as('service').untilPhase(run.runId, 'completed');
      expect(await paidOut(stack, run.charge)).toEqual([[12_000, 'succeeded']]);
    }
  });

  test('R26: a signal that only says that it is encrypted is refused, and the run goes on', async () => {
    const { runId } = runs[2]!;
    const keyId = parseEncryptionKeys(newer)[0]!.id;
    const metadata = {
      encoding: Buffer.from('binary/encrypted'),
      'encryption-key-id': Buffer.from(keyId),
    };
    await signalBytes(runId, { metadata, data: randomBytes(64) });
    await until(async () => (await eventsOf(stack, runId)).includes('signal_refused'));
    expect((await stack.as('service').refund(runId)).phase).toBe('waiting_approval');
  });

  test('R40: the raw history holds ciphertext only: inputs, results, signals, updates, queries and failures', async () => {
    const { runId, charge } = runs[2]!;
    const { connection, namespace } = stack.temporal;
    const keyed = new Client({
      connection,
      namespace,
      dataConverter: dataConverterFor({ encryptionKeys: parseEncryptionKeys(newer) }),
    });
    const handle = keyed.workflow.getHandle(refundWorkflowId('acme', runId));
    await handle.signal('approval', { jws: 'no-such-signature' });
    await stack.provider.admin('POST', 'faults', {
      kind: 'insufficient_balance',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
    });
    await stack.as('reviewer1').decide(runs[2]!, 'approve');
    await stack.as('service').untilPhase(runId, 'failed');
    await until(async () => (await handle.describe()).status.name === 'COMPLETED');
    // With the key it reads as ever.
    expect(await handle.query('state')).toMatchObject({ runId, target: charge, phase: 'failed' });

    const { queryResult } = await connection.workflowService.queryWorkflow({
      namespace,
      execution: { workflowId: handle.workflowId },
      query: { queryType: 'state' },
    });
    const events = await historyOf(stack, runId);
    const { plain, sealed, failures } = payloadsOf([...events, queryResult]);
    // What the SDK itself notes beside a local activity: which it was, and when.
    const own =
      /^json\/plain \{"seq":\d+,"attempt":\d+,"activity_id":"\d+","activity_type":"\w+",[^}]*_time[^a-z]/;
    expect(plain.filter((text) => !own.test(text))).toEqual([]);
    expect(sealed).toBeGreaterThan(10);
    expect(failures.length).toBeGreaterThan(0);
    expect(new Set(failures)).toEqual(new Set(['Encoded failure']));
    for (const secret of [charge, 'reviewer1', 'no-such-signature', 'insufficient'])
      expect([secret, textOf(events).includes(secret)]).toEqual([secret, false]);
    // Control: what began without encryption holds it.
    expect(textOf(await historyOf(stack, runs[0]!.runId)).includes(runs[0]!.charge)).toBe(true);
  });

  test('R40: the codec endpoint decodes for administrators of the tenant, asked from the Web UI, and says who looked', async () => {
    const { runId, charge } = runs[2]!;
    const [input] =
      (await historyOf(stack, runId))[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const sent = { payloads: [wire(input!)] };
    const path = '/codec/decode';
    const asked = await stack.as('admin').call('POST', path, sent, { origin: uiOrigin });
    expect(asked.status).toBe(200);
    expect(asked.headers.get('access-control-allow-origin')).toBe(uiOrigin);
    const opened = Buffer.from(asked.body.payloads[0].data as string, 'base64').toString();
    expect(JSON.parse(opened)).toMatchObject({ tenant: 'acme', paymentId: charge });
    await stack.as('admin').call('POST', path, sent);
    const looked = (await auditOf(stack, 'tenant/acme')).filter((l) => l.event === 'payloads_decoded');
    expect(looked.map(({ actor }) => actor)).toEqual(['admin']);

    expect((await stack.as('admin', 'globex').call('POST', path, sent)).body).toEqual(sent);
    expect((await stack.as('lead').call('POST', path, sent)).status).toBe(403);
    expect((await stack.as('admin').call('POST', path, { payloads: [{ data: '%' }] })).status).toBe(422);
    const nobody = await fetch(`${stack.apiUrl}${path}`, { method: 'POST' });
    expect(nobody.status).toBe(401);
  });

  test('R29: a browser signs in for the codec alone, with a cookie that no other site can send', async () => {
    const signIn = (token: string) =>
      fetch(`${stack.apiUrl}/codec/sign-in`, { method: 'POST', body: new URLSearchParams({ token }) });
    expect((await signIn('cs_not-a-token')).status).toBe(401);
    const signedIn = await signIn(testTokens.acme.admin);
    const [cookie = ''] = signedIn.headers.getSetCookie();
    expect(cookie).toMatch(/; Path=\/codec; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.split(';')[0] ?? '', 'content-type': 'application/json' };
    const body = JSON.stringify({ payloads: [] });
    const asked = await fetch(`${stack.apiUrl}/codec/decode`, { method: 'POST', headers, body });
    expect(asked.status).toBe(200);
    expect((await fetch(`${stack.apiUrl}/v1/refunds`, { headers })).status).toBe(401);
  });

  test('R40: Temporal’s own Web UI shows payloads to an administrator who has signed in for that, and to nobody else', async () => {
    const { runId, charge } = runs[2]!;
    const browser = await launchChromium();
    try {
      const { page, context } = await visit(browser, uiOrigin, undefined);
      const workflows = `/namespaces/${stack.temporal.namespace}/workflows`;
      await page.goto(workflows);
      await page.getByTestId('data-encoder-status').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Use my browser setting').click();
      await dialog.getByRole('textbox').fill(`${stack.apiUrl}/codec`);
      await dialog.getByText('Include cross-origin credentials').click();
      await dialog.getByRole('button', { name: 'Apply' }).click();

      const refused = page.waitForResponse((answer) => answer.url().includes('/codec/decode'));
      await page.goto(`${workflows}/${encodeURIComponent(refundWorkflowId('acme', runId))}`);
      expect((await refused).status()).toBe(401);
      expect(await page.getByText(charge).count()).toBe(0);

      const signIn = await context.newPage();
      await signIn.goto(`${stack.apiUrl}/codec/sign-in`);
      await signIn.fill('input[name=token]', testTokens.acme.admin);
      await signIn.click('button');
      await signIn.getByText('Signed in for an hour').waitFor();
      await page.reload();
      await page.getByText(charge).first().waitFor();
    } finally {
      await browser.close();
    }
  });

  test('R40: a browser may ask for the origin that is set, and for no other', async () => {
    const preflight = (origin: string) =>
      fetch(`${stack.apiUrl}/codec/decode`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const own = await preflight(uiOrigin);
    expect(own.headers.get('access-control-allow-credentials')).toBe('true');
    expect(own.headers.get('access-control-allow-origin')).toBe(uiOrigin);
    expect(own.headers.get('access-control-allow-headers')).toContain('authorization');
    const other = await preflight('https://elsewhere.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

/** Search attributes are never encrypted; they hold ids, figures and a keyed hash. */
const openByDesign = new Set(['searchAttributes', 'indexedFields']);

/** Every payload and failure message in a tree of what Temporal sends. */
function payloadsOf(value: unknown, found = { plain: [] as string[], sealed: 0, failures: [] as string[] }) {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return found;
  const { stackTrace, message, metadata, data } = value as Partial<Record<string, unknown>>;
  if (stackTrace !== undefined && typeof message === 'string') found.failures.push(message);
  if (data instanceof Uint8Array && metadata !== undefined) {
    const encoding = Buffer.from((metadata as Payload['metadata'])?.['encoding'] ?? '').toString();
    if (encoding === 'binary/encrypted') found.sealed += 1;
    else found.plain.push(`${encoding} ${Buffer.from(data).toString()}`);
    return found;
  }
  for (const [name, part] of Object.entries(value)) if (!openByDesign.has(name)) payloadsOf(part, found);
  return found;
}

/** Everything that can be read in it, bytes too. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(textOf).join('\n');
}

function wire({ metadata, data }: Payload) {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([k, v]) => [k, base64(v)])),
    data: base64(data ?? new Uint8Array()),
  };
}
