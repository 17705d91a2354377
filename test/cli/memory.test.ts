import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { actor } from './actors';

let stack: TestStack;
let service: ReturnType<typeof actor>;
let admin: ReturnType<typeof actor>;
beforeAll(async () => {
  stack = await TestStack.start();
  service = actor(stack, 'service');
  admin = actor(stack, 'admin');
});
afterAll(() => stack.stop());

describe('countersign memory', () => {
  test('propose, list, correct, history, export, forget, as people and programs read them', async () => {
    const ada = ['--owner', 'ada'];
    const words = ['--key', 'preference/language', '--value', 'Answer in English.', '--asked'];
    const stored = await service('memory', 'propose', ...words, ...ada, '--evidence', 'turn:t-1/4', '--json');
    expect([stored.code, stored.json['allowed']]).toEqual([0, true]);
    const list = await service('memory', 'list', ...ada);
    expect([list.code, list.stdout]).toEqual([
      0,
      expect.stringMatching(/^MEMORY +KEY +VALUE[\s\S]*Answer in English\. +user_explicit +1\.00/),
    ]);
    const id = String(stored.json['memoryId']);
    const corrected = await service(
      'memory',
      'correct',
      id,
      '--value',
      'In Bengali.',
      '--expected',
      '1',
      ...ada,
      '--json',
    );
    const next = String(corrected.json['memoryId']);
    const stale = await service('memory', 'correct', id, '--value', 'In French.', ...ada);
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('see what it has become')]);
    const shown = await service('memory', 'show', next, ...ada);
    expect(shown.stdout).toMatch(/value +In Bengali\.[\s\S]*version +2/);
    expect((await service('memory', 'pin', next, ...ada)).stdout).toMatch(/pinned +yes/);
    expect((await service('memory', 'unpin', next, ...ada)).stdout).toBe(`${next} is not pinned.\n`);
    const history = await service('memory', 'history', next, ...ada);
    expect(history.stdout).toMatch(/2 +believed +In Bengali[\s\S]*1 +superseded +Answer in English/);
    const file = join(mkdtempSync(join(tmpdir(), 'memory-')), 'ada.jsonl');
    expect((await service('memory', 'export', ...ada, '--out', file)).code).toBe(0);
    expect(existsSync(file) && readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
    expect((await service('memory', 'forget', next, ...ada, '--json')).json).toEqual({
      memoryId: next,
      forgotten: true,
    });
    expect((await service('memory', 'list', ...ada)).stdout).toBe('Nothing is remembered.\n');
  });

  test('R43: a refusal names the rules and exits 1; what waits is decided by an administrator', async () => {
    const card = ['--key', 'card', '--value', 'my card is 4242 4242 4242 4242'];
    const refused = await service('memory', 'propose', ...card, '--json');
    expect([refused.code, refused.problem.code, refused.problem['ruleIds']]).toEqual([
      1,
      'memory_denied',
      ['content.sensitive'],
    ]);
    const agent = actor(stack, 'agent');
    const rule = [
      '--kind',
      'procedural',
      '--source',
      'inferred',
      '--key',
      'procedure/tone',
      '--value',
      'Be brief.',
    ];
    const waits = await agent('memory', 'propose', ...rule, '--owner', 'bea');
    expect([waits.code, waits.stdout]).toEqual([
      0,
      expect.stringContaining('An administrator has to decide'),
    ]);
    const queue = await admin('memory', 'queue', '--json');
    const { id } = queue.json.items[0]!;
    const page = await admin('memory', 'candidate', id);
    const [, approval = ''] = /approvals show (apr_mem_\S+)/.exec(page.stdout) ?? [];
    expect((await agent('memory', 'candidate', id)).stdout).toMatch(/status +waiting/);
    expect((await service('memory', 'candidate', id, '--json')).problem.code).toBe('not_found');
    const old = await admin('memory', 'approve', id, '--hash', '0'.repeat(64), '--json');
    expect([old.code, old.problem.code, old.problem['approvalId']]).toEqual([1, 'memory_approval', approval]);
    await until(async () => (await admin('approvals', 'show', approval)).code === 0);
    const list = await admin('approvals', 'list');
    expect(list.stdout).toMatch(new RegExp(`${approval} +rule procedure/tone`));
    expect((await admin('approvals', 'show', approval)).stdout).toMatch(
      /remember +procedure\/tone\n[\s\S]*of +bea\n[\s\S]*value +Be brief\./,
    );
    const lead = await actor(stack, 'lead')('approvals', 'approve', approval, '--json');
    expect([lead.code, lead.problem.code]).toEqual([1, 'forbidden']);
    const approved = await admin('approvals', 'approve', approval);
    expect([approved.code, approved.stdout]).toEqual([
      0,
      expect.stringContaining(`countersign memory candidate ${id}`),
    ]);
    await until(async () => (await admin('memory', 'candidate', id)).stdout.includes('approved, by admin'));
    expect((await admin('memory', 'queue')).stdout).toBe('Nothing waits for a decision.\n');
    expect((await service('memory', 'list', '--owner', 'bea')).stdout).toContain('Be brief.');
  });

  test('R48: quarantine and revocation by source, with counts', async () => {
    const words = ['--key', 'preference/tea', '--value', 'Likes tea.', '--evidence', 'turn:t-7/1', '--json'];
    const { json } = await service('memory', 'propose', ...words, '--owner', 'cid');
    const id = String(json['memoryId']);
    const why = ['--reason', 'suspicious'];
    expect((await admin('memory', 'quarantine', id, '--owner', 'cid', ...why)).stdout).toContain(
      'is in quarantine',
    );
    expect((await admin('memory', 'held')).stdout).toMatch(
      new RegExp(`${id} +cid +quarantine +suspicious +admin`),
    );
    expect((await admin('memory', 'release', id, '--owner', 'cid')).code).toBe(0);
    const both = await admin('memory', 'quarantine', id, '--source', 'turn:t-7', ...why);
    const neither = await admin('memory', 'revoke-source', 't-7', ...why, '--yes');
    const unsure = await admin('memory', 'revoke-source', 'turn:t-7', ...why);
    expect([both.code, neither.code, unsure.code]).toEqual([2, 2, 2]);
    const revoked = await admin('memory', 'revoke-source', 'turn:t-7', '--reason', 'poisoned', '--yes');
    expect([revoked.code, revoked.stdout]).toEqual([
      0,
      'Everything learnt from turn:t-7 is revoked: 1 versions of 1 owners, 1 of them in force until now.\n',
    ]);
    expect((await service('memory', 'list', '--owner', 'cid')).stdout).toBe('Nothing is remembered.\n');
  });
});
