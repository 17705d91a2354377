import { listThreads, openThread, startThread } from '../../src/application/threads';
import { mostTurnsOfThread, type Message } from '../../src/domain/thread/turn';
import { query } from '../support/database';
import { agent, refusal, service, threadFixture, user, who, type ThreadFixture } from './threadFixture';

let fixture: ThreadFixture;
let store: ThreadFixture['store'];
let database: ThreadFixture['database'];
let begin: ThreadFixture['begin'];
let append: ThreadFixture['append'];
let said: ThreadFixture['said'];
beforeAll(async () => {
  fixture = await threadFixture();
  ({ store, database, begin, append, said } = fixture);
});
afterAll(() => fixture.close());

describe('a thread', () => {
  test('R34: thirty writers at once leave no gap and no double, and each hears where his message stands', async () => {
    const id = await begin();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => append(id, [user(`a ${n}`), user(`b ${n}`)])),
    );
    const turns = await said(id);
    expect(turns.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    for (const { items } of answers) {
      expect(turns).toEqual(expect.arrayContaining(items));
      expect(items[1]?.seq).toBe((items[0]?.seq ?? 0) + 1);
    }
    expect(new Set(answers.map(({ version }) => version)).size).toBe(30);
  });

  test('R34: of two writers with one version one gets a conflict, and the repeat of the other is answered as it was', async () => {
    const id = await begin();
    const send = (name: string) =>
      append(id, [user(name, { clientMessageId: name })], { expectedVersion: 0 });
    const outcomes = await Promise.all([refusal(send('one')), refusal(send('two'))]);
    expect(outcomes.sort()).toEqual(['done', 'version_conflict']);
    const [first] = await said(id);
    expect((await send(first?.clientMessageId ?? '')).items).toEqual([first]);
    expect(await said(id)).toHaveLength(1);
  });

  test('a message sent again is the same message; another one under its name is refused, and nothing of it appended', async () => {
    const id = await begin();
    const one = user('hello', { clientMessageId: 'm-1' });
    const first = await append(id, [one]);
    expect(await append(id, [one, user('and more')])).toMatchObject({
      items: [first.items[0], { seq: 2 }],
      version: 2,
    });
    expect(await refusal(append(id, [user('new'), user('changed', { clientMessageId: 'm-1' })]))).toBe(
      'message_conflict',
    );
    expect(
      await refusal(append(id, [user('x', { clientMessageId: 'y' }), user('z', { clientMessageId: 'y' })])),
    ).toBe('message_conflict');
    expect((await said(id)).map(({ text }) => text)).toEqual(['hello', 'and more']);
  });

  test('R51: a tool call has one result, which has one call', async () => {
    const id = await begin();
    const call: Message = { role: 'tool_call', text: '{}', toolCallId: 'c1', toolName: 'find_order' };
    const result: Message = { role: 'tool_result', text: '', toolCallId: 'c1' };
    expect(await refusal(append(id, [result]))).toBe('tool_call_unpaired');
    expect(await refusal(append(id, [result, call]))).toBe('tool_call_unpaired');
    const { items } = await append(id, [call, user('meanwhile'), result]);
    expect(items.map(({ toolName }) => toolName)).toEqual(['find_order', null, 'find_order']);
    expect(await refusal(append(id, [result]))).toBe('tool_call_unpaired');
    expect(await refusal(append(id, [call]))).toBe('tool_call_unpaired');
  });

  test('R43: an agent puts no words into a user’s mouth, and a person none into a model’s', async () => {
    const id = await begin();
    expect(await refusal(append(id, [user('refund me')], {}, agent))).toBe('forbidden');
    expect(await refusal(append(id, [{ role: 'assistant', text: 'I will' }], {}, agent))).toBe('done');
    const own = (await startThread({ store }, who('reviewer1'), {}, undefined)).id;
    const mine = (message: Message) => refusal(append(own, [message], {}, who('reviewer1'), 'reviewer1'));
    expect(await mine({ role: 'assistant', text: 'approved' })).toBe('forbidden');
    expect(await mine(user('hello'))).toBe('done');
    expect(await mine({ role: 'note', text: 'agreed' })).toBe('done');
  });

  test('R39: a card number or a secret in a message is refused, and stands nowhere', async () => {
    const id = await begin();
    const card = '４２４２ 4242 4242 4242';
    expect(await refusal(append(id, [user('fine'), user(`my card is ${card}`)]))).toBe('sensitive_text');
    expect(await refusal(append(id, [user('x', { clientMessageId: '4242424242424242' })]))).toBe(
      'sensitive_text',
    );
    expect(await refusal(startThread({ store }, service, { title: `card ${card}` }, undefined))).toBe(
      'sensitive_text',
    );
    expect(await said(id)).toEqual([]);
  });

  test('R41: a thread is full at its limit, and says so', async () => {
    const id = await begin();
    await query(database.adminUrl, `update threads set last_seq = $1 where id = $2`, [
      mostTurnsOfThread - 1,
      id,
    ]);
    expect(await refusal(append(id, [user('one'), user('too many')]))).toBe('thread_full');
    expect(await refusal(append(id, [user('the last')]))).toBe('done');
  });

  test('R46: owners and tenants a, a-b, a_b, a%, * and look-alikes are each their own', async () => {
    const owners = ['a', 'a-b', 'a_b', 'a%', 'A', 'а', 'a b'];
    const ids = new Map<string, string>();
    for (const owner of owners) {
      const id = await begin(owner);
      ids.set(owner, id);
      await append(id, [user(`of ${owner}`)], {}, service, owner);
    }
    for (const owner of owners) {
      const { items } = await listThreads({ store }, service, { after: undefined, limit: 50 }, owner);
      expect(items.map(({ id }) => id)).toEqual([ids.get(owner)]);
      for (const [other, id] of ids) {
        const found = await refusal(openThread({ store }, service, id, owner));
        expect({ owner, other, found }).toEqual({
          owner,
          other,
          found: other === owner ? 'done' : 'not_found',
        });
        if (other !== owner) {
          expect(await refusal(said(id, owner))).toBe('not_found');
          expect(await refusal(append(id, [user('x')], {}, service, owner))).toBe('not_found');
        }
      }
    }
    for (const owner of ['*', '', ' a', 'a\u200b'])
      expect(await refusal(listThreads({ store }, service, { after: undefined, limit: 50 }, owner))).toBe(
        'memory_scope_invalid',
      );
    const id = ids.get('a') ?? '';
    expect(await refusal(openThread({ store }, who('service', 'service', 'globex'), id, 'a'))).toBe(
      'not_found',
    );
    expect(await refusal(openThread({ store }, who('a', 'person', 'globex'), id))).toBe('not_found');
    expect(await refusal(openThread({ store }, who('reviewer1'), id, 'a'))).toBe('not_found');
    expect(await refusal(openThread({ store }, who('a'), id))).toBe('done');
  });
});
