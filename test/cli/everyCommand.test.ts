import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { program } from '../../src/cli/program';
import { packageRoot } from '../../src/main/version';
import { examplesOf, leaves, words } from './commandLeaves';

/** Which command does what an address of the API does; `-` where a person has no use for it. */
const commandOf: Record<string, string> = {
  'GET /healthz': 'doctor',
  'GET /readyz': 'doctor',
  'POST /v1/webhooks/stripe': '-',
  'POST /v1/refunds': 'refund start',
  'GET /v1/refunds': 'refund list',
  'GET /v1/refunds/{runId}': 'refund show',
  'GET /v1/refunds/{runId}/timeline': 'run timeline',
  'GET /v1/refunds/{runId}/states': 'run timeline',
  'GET /v1/refunds/{runId}/states/difference': 'run timeline',
  'POST /v1/refunds/{runId}/fork': 'run fork',
  'GET /v1/refunds/{runId}/events': 'refund watch',
  'POST /v1/refunds/{runId}/cancel': 'refund cancel',
  'POST /v1/refunds/{runId}/review': 'refund review',
  'POST /v1/refunds/split': 'refund split',
  'GET /v1/refunds/split/{splitId}': 'refund show-split',
  'GET /v1/approvals': 'approvals list',
  'GET /v1/approvals/events': 'approvals list',
  'GET /v1/approvals/counts': 'approvals counts',
  'GET /v1/approvals/daily': 'approvals daily',
  'GET /v1/approvals/{id}': 'approvals show',
  'POST /v1/approvals/{id}/decisions': 'approvals approve',
  'POST /v1/approvals/decisions': 'approvals approve',
  'POST /v1/approvals/{id}/signatures': 'approvals sign',
  'POST /v1/approvals/check': 'approvals check',
  'GET /v1/memories': 'memory list',
  'POST /v1/memories': 'memory propose',
  'GET /v1/memories/search': 'memory search',
  'GET /v1/memories/export': 'memory export',
  'GET /v1/memories/candidates': 'memory queue',
  'GET /v1/memories/candidates/{id}': 'memory candidate',
  'POST /v1/memories/candidates/{id}/decisions': 'memory approve',
  'GET /v1/memories/holds': 'memory held',
  'GET /v1/memories/sources': 'memory held',
  'POST /v1/memories/sources/quarantine': 'memory quarantine',
  'POST /v1/memories/sources/release': 'memory release',
  'POST /v1/memories/sources/revoke': 'memory revoke-source',
  'GET /v1/memories/{id}': 'memory show',
  'PATCH /v1/memories/{id}': 'memory correct',
  'DELETE /v1/memories/{id}': 'memory forget',
  'POST /v1/memories/{id}/confirm': 'memory confirm',
  'GET /v1/memories/{id}/history': 'memory history',
  'POST /v1/memories/{id}/pin': 'memory pin',
  'DELETE /v1/memories/{id}/pin': 'memory unpin',
  'POST /v1/memories/{id}/quarantine': 'memory quarantine',
  'DELETE /v1/memories/{id}/quarantine': 'memory release',
  'GET /v1/knowledge': 'knowledge list',
  'POST /v1/knowledge': 'knowledge ingest',
  'GET /v1/knowledge/search': 'knowledge search',
  'GET /v1/knowledge/{document}': 'knowledge show',
  'DELETE /v1/knowledge/{document}': 'knowledge delete',
  'GET /v1/knowledge/{document}/passages': 'knowledge show',
  'GET /v1/knowledge/{document}/passages/{passage}': 'knowledge show',
  'GET /v1/threads': 'thread list',
  'POST /v1/threads': 'thread start',
  'GET /v1/threads/{id}': 'thread show',
  'GET /v1/threads/{id}/messages': 'thread show',
  'POST /v1/threads/{id}/messages': 'thread append',
  'GET /v1/threads/{id}/context': 'thread context',
  'GET /v1/brake': 'brake show',
  'POST /v1/brake': 'brake pull',
  'GET /v1/audit': 'audit search',
  'GET /v1/audit/chains': 'audit export',
  'GET /v1/audit/anchors': 'audit export',
  'POST /v1/audit/anchors': 'audit anchor',
  'GET /v1/audit/keys': 'audit export',
  'GET /v1/policies': 'policy list',
  'POST /v1/policies': 'policy publish',
  'POST /v1/policies/check': 'policy check',
  'GET /v1/policies/{version}': 'policy show',
  'GET /v1/reconciliations': 'reconcile runs',
  'POST /v1/reconciliations': 'reconcile',
  'GET /v1/reconciliations/{id}': 'reconcile show',
  'GET /v1/reconciliations/differences': 'reconcile',
  'GET /v1/reconciliations/differences/{id}': 'reconcile difference',
  'POST /v1/reconciliations/differences/{id}/dismiss': 'reconcile dismiss',
  'GET /v1/payments/{paymentId}/history': 'payment history',
  'GET /v1/self': 'key show',
  'POST /v1/self/rotate': 'key rotate',
  'GET /v1/admin/tenant': 'admin tenant show',
  'PATCH /v1/admin/tenant': 'admin tenant rename',
  'GET /v1/admin/people': 'admin person list',
  'POST /v1/admin/people': 'admin person add',
  'GET /v1/admin/people/{id}': 'admin person show',
  'PATCH /v1/admin/people/{id}': 'admin person change',
  'GET /v1/admin/groups': 'admin group list',
  'POST /v1/admin/groups': 'admin group add',
  'GET /v1/admin/groups/{name}': 'admin group show',
  'PATCH /v1/admin/groups/{name}': 'admin group join',
  'DELETE /v1/admin/groups/{name}': 'admin group remove',
  'GET /v1/admin/keys': 'admin key list',
  'POST /v1/admin/keys': 'admin key create',
  'GET /v1/admin/keys/{id}': 'admin key show',
  'POST /v1/admin/keys/{id}/confirm': 'admin key confirm',
  'POST /v1/admin/keys/{id}/rotate': 'admin key rotate',
  'POST /v1/admin/keys/{id}/revoke': 'admin key revoke',
  'GET /v1/admin/channel-keys': 'admin channel list',
  'POST /v1/admin/channel-keys': 'admin channel register',
  'GET /v1/admin/channel-keys/{kid}': 'admin channel show',
  'POST /v1/admin/channel-keys/{kid}/confirm': 'admin channel confirm',
  'POST /v1/admin/channel-keys/{kid}/rotate': 'admin channel rotate',
  'POST /v1/admin/channel-keys/{kid}/revoke': 'admin channel revoke',
  'GET /v1/admin/retention': 'admin retention show',
  'PATCH /v1/admin/retention': 'admin retention set',
  'GET /v1/admin/retention/due': 'admin retention sweep',
  'POST /v1/admin/retention/sweeps': 'admin retention sweep',
  'GET /v1/admin/holds': 'admin hold list',
  'POST /v1/admin/holds': 'admin hold place',
  'POST /v1/admin/holds/{id}/release': 'admin hold release',
  'GET /v1/runs': 'agent list',
  'POST /v1/runs': 'agent run',
  'GET /v1/runs/{runId}': 'agent show',
  'GET /v1/runs/{runId}/timeline': 'run timeline',
  'GET /v1/runs/{runId}/events': 'agent show',
  'POST /v1/runs/{runId}/pause': 'agent pause',
  'POST /v1/runs/{runId}/resume': 'agent resume',
  'GET /v1/batches': 'batch list',
  'POST /v1/batches': 'batch start',
  'GET /v1/batches/{batchId}': 'batch show',
  'GET /v1/batches/{batchId}/items': 'batch show',
  'GET /v1/batches/{batchId}/result': 'batch result',
  'GET /v1/batches/{batchId}/timeline': 'run timeline',
  'GET /v1/batches/{batchId}/events': 'batch start',
  'POST /v1/batches/{batchId}/pause': 'batch pause',
  'POST /v1/batches/{batchId}/resume': 'batch resume',
  'POST /v1/batches/{batchId}/cancel': 'batch cancel',
  'GET /v1/erasures': 'erasure list',
  'POST /v1/erasures': 'erase',
  'GET /v1/erasures/{id}': 'erasure show',
  'POST /v1/erasures/{id}/confirm': 'erasure confirm',
  'POST /v1/erasures/{id}/cancel': 'erasure cancel',
};

describe('the command line and the API', () => {
  const commands = leaves(program(false));
  const { paths } = JSON.parse(readFileSync(join(packageRoot, 'docs', 'openapi.json'), 'utf8')) as {
    paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }>;
  };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  test('every call of the API has its command, and every command that is named here exists', () => {
    expect(calls.filter((call) => commandOf[call] === undefined)).toEqual([]);
    const names = ['-', ...commands.map(({ path }) => path)];
    expect(Object.values(commandOf).filter((command) => !names.includes(command))).toEqual([]);
  });

  const has = (command: Command, option: string) => command.options.some(({ long }) => long === option);

  test('every list can be asked on the command line for whatever the API can', () => {
    const called: Record<string, string> = { 'approvals list q': '--search', 'memory list state': '--faded' };
    const missing = Object.entries(paths).flatMap(([path, { get }]) => {
      const name = commandOf[`GET ${path}`] ?? '';
      const command = commands.find((one) => one.path === name && name.endsWith(' list'))?.command;
      const asked = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
      return asked
        .map(({ name: parameter }) => called[`${name} ${parameter}`] ?? `--${parameter.replaceAll('_', '-')}`)
        .filter((option) => command && !has(command, option))
        .map((option) => `${path}: ${option}`);
    });
    expect(missing).toEqual([]);
  });

  test('every command says what it is, has --json, and shows an example that names it', () => {
    const wanting = commands.flatMap(({ path, command }) => [
      ...(command.description() === '' ? [`${path}: no description`] : []),
      ...(has(command, '--json') ? [] : [`${path}: no --json`]),
      ...(path === 'sandbox' || examplesOf(command).some((line) => line.startsWith(path))
        ? []
        : [`${path}: no example`]),
    ]);
    expect(wanting).toEqual([]);
  });

  test('every list and every page can be watched', () => {
    const reads = commands.filter(({ path }) =>
      /^(.* (list|show|show-split|counts|history|runs|queue|held|candidate|difference|search|log)|reconcile)$/.test(
        path,
      ),
    );
    const found = reads.filter(({ command }) => !has(command, '--watch')).map(({ path }) => path);
    // What was found by words is an answer to a question, not a view.
    expect(found).toEqual(['memory search', 'knowledge search']);
    expect(reads.length).toBeGreaterThan(30);
  });

  const examples = commands.flatMap(({ command }) => examplesOf(command));
  test('every example of the help is taken by the command line as it stands there', async () => {
    expect(examples.length).toBeGreaterThan(100);
    const refused: string[] = [];
    for (const example of examples) {
      const root = program(true);
      root.configureOutput({ outputError: () => undefined, writeErr: () => undefined });
      for (const { command } of leaves(root)) {
        command.configureOutput({ outputError: () => undefined, writeErr: () => undefined });
        command.action(() => undefined);
      }
      await root
        .parseAsync(words(example), { from: 'user' })
        .catch((error: Error) => refused.push(`${example}: ${error.message}`));
    }
    expect(refused).toEqual([]);
  });
});
