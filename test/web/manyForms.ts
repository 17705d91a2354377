import type { ApprovalView } from '../../src/application/views';
import type { Visitor } from './visitor';

interface Ground {
  readonly one: () => Visitor;
  readonly two: () => Visitor;
  /** Of another tenant. */
  readonly foreign: () => Visitor;
  readonly open: (amount: string) => Promise<ApprovalView>;
  readonly statusOf: (approval: ApprovalView) => Promise<string>;
}

/** Many approvals by forms alone; over a stack that runs already. */
export function manyForms({ one, two, foreign, open, statusOf }: Ground): void {
  const send = (visitor: Visitor, fields: Record<string, string>) =>
    visitor.post('/inbox/decisions', { decision: 'approve', query: 'sort=newest', ...fields });
  const boxOf = ({ id, proposalHash }: Pick<ApprovalView, 'id' | 'proposalHash'>) => `${id}.${proposalHash}`;
  const ticked = (html: string) =>
    [...html.matchAll(/<input type="checkbox" name="chosen"[^>]*>/g)].filter(([tag]) =>
      tag.includes(' checked'),
    );

  test('R29: many are decided by a form of this session alone; what was ticked and typed comes back otherwise', async () => {
    const approval = await open('120.00');
    const chosen = boxOf(approval);
    const list = await send(one(), { chosen, csrf: two().csrf });
    expect([list.status, list.text.includes('Nothing was done'), ticked(list.html).length]).toEqual([
      403,
      true,
      1,
    ]);
    const sure = { chosen, confirmed: 'yes', comment: 'my reasons' };
    const again = await send(one(), { ...sure, csrf: two().csrf });
    expect([again.status, again.html.includes('my reasons</textarea>')]).toEqual([403, true]);
    const card = await send(one(), { ...sure, comment: 'pay to 4242 4242 4242 4242' });
    expect([card.status, card.html.includes('4242 4242</textarea>')]).toEqual([422, true]);
    const asked = await send(one(), { chosen });
    expect([asked.status, asked.text.includes('Approve 1 for USD 120.00?')]).toEqual([200, true]);
    const back = await send(one(), { chosen, back: 'yes' });
    expect([back.status, ticked(back.html).length]).toEqual([200, 1]);
    expect((await one().get('/inbox/decisions')).status).toBe(303);
    expect(await statusOf(approval)).toBe('open');
  });

  test('R41: nothing chosen, too much chosen and what is no decision about many decide nothing, and say so', async () => {
    const none = await send(one(), {});
    expect([none.status, none.text.includes('Nothing is chosen')]).toEqual([422, true]);
    const many = Array.from({ length: 101 }, (_, i) => `apr_${i}.${'f'.repeat(64)}`).join(' ');
    const tooMany = await send(one(), { chosen: many });
    expect([tooMany.status, tooMany.text.includes('101 are chosen')]).toEqual([422, true]);
    const edit = await send(one(), { chosen: many.slice(0, 72), decision: 'edit' });
    expect([edit.status, edit.text.includes('approved or rejected together')]).toEqual([422, true]);
    const all = await send(one(), { all: 'yes' });
    const boxes = [...all.html.matchAll(/name="chosen"[^>]*>/g)].filter(
      ([tag]) => !tag.includes(' disabled'),
    );
    expect([all.status, ticked(all.html).length]).toEqual([200, boxes.length]);
    expect(boxes.length).toBeGreaterThan(0);
  });

  test("R38: another tenant's approval is told of as none, byte by byte, and is not decided", async () => {
    const approval = await open('120.00');
    const nobody = { id: `apr_${'0'.repeat(approval.id.length - 4)}`, proposalHash: approval.proposalHash };
    for (const more of [{}, { confirmed: 'yes' }]) {
      const [theirs, none] = [
        await send(foreign(), { chosen: boxOf(approval), ...more }),
        await send(foreign(), { chosen: boxOf(nobody), ...more }),
      ];
      expect([theirs.status, theirs.html.replaceAll(approval.id, nobody.id)]).toEqual([200, none.html]);
      expect(theirs.text).toContain('It is not here any more, or was never here.');
    }
    expect(await statusOf(approval)).toBe('open');
  });
}
