import type { ApprovalView } from '../../src/application/views';
import { press, type Visitor } from './visitor';

interface Ground {
  /** An approver; the person for whom the refund is asked. */
  readonly one: Visitor;
  readonly two: Visitor;
  readonly approval: ApprovalView;
}

/** Everything that people do about an approval besides voting, by forms alone, each with what the page says then. */
export async function handleWithoutScript({ one, two, approval }: Ground): Promise<void> {
  const steps: [Visitor, string, Record<string, string>, string][] = [
    [one, 'request_info', { comment: 'which lid?' }, 'which lid? '],
    [two, 'answer_info', { comment: 'the glass one' }, 'the glass one'],
    [one, 'claim', {}, 'claimed by'],
    [one, 'release', {}, 'released it'],
    [one, 'delegate', { to: 'lead' }, 'reviewer1 has handed the say over to lead'],
    [one, 'withdraw', {}, 'took the vote back'],
    [one, 'escalate', {}, 'approvers or finance-lead'],
    [one, 'comment', { comment: 'done here' }, 'done here'],
  ];
  for (const [visitor, kind, fields, says] of steps) {
    const sent = await press(visitor, approval, kind, fields);
    expect([kind, sent.status]).toEqual([kind, 303]);
    const page = await one.get(sent.headers.get('location') ?? '');
    expect([kind, page.text.toLowerCase().includes(says.trim().toLowerCase())]).toEqual([kind, true]);
    expect(page.text).toContain('Done: you');
  }
  // R44: what must not be stored comes back to whoever typed it, and is nowhere else.
  const card = await press(one, approval, 'comment', { comment: 'pay to 4242 4242 4242 4242' });
  expect([card.status, card.html.includes('4242 4242</textarea>')]).toEqual([422, true]);
  const silent = await press(one, approval, 'request_info');
  expect([silent.status, silent.text.includes('what is said stands in the comment')]).toEqual([422, true]);
}
