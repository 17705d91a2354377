import { mayBeOneHuman } from '../../../src/domain/access/independence';

let made = 0;
const key = (person: string, createdBy: string, confirmedBy: string | null = createdBy, more = {}) => ({
  ...{ id: `key_${(made += 1)}`, person, createdBy, confirmedBy, createdAt: made, replacedBy: null },
  ...{ scopes: ['admin'], ...more },
});
const one = (keys: ReturnType<typeof key>[], a = 'a', b = 'b') => mayBeOneHuman(keys, a, b);

describe('R23: who may be one human by the keys that there ever were', () => {
  test('whoever made the key of the other alone, whoever that one made one for, and so on, from both sides', () => {
    expect(one([key('a', 'owner'), key('b', 'a')])).toBe(true);
    expect(one([key('a', 'owner'), key('b', 'a')], 'b', 'a')).toBe(true);
    expect(one([key('a', 'owner'), key('c', 'a'), key('b', 'c')])).toBe(true);
    expect(one([key('a', 'c'), key('b', 'c')])).toBe(true);
  });

  test('not whom somebody else confirmed, who comes from the owner, or was there before it was on record', () => {
    expect(one([key('a', 'owner'), key('b', 'owner')])).toBe(false);
    expect(one([key('b', 'a', 'c')])).toBe(false);
    expect(one([key('b', 'a', null)])).toBe(false);
    expect(one([key('a', 'countersign'), key('b', 'countersign')])).toBe(false);
    expect(one([key('b', 'a', 'a', { scopes: ['refunds:read'] })])).toBe(false);
  });

  test('what he makes for himself changes nothing, and neither does the end of the key', () => {
    expect(one([key('b', 'a', 'a', { replacedBy: 'key_x' }), key('b', 'b')])).toBe(true);
  });

  test('a later key from the owner parts them, an earlier one does not', () => {
    expect(one([key('b', 'a'), key('b', 'owner')])).toBe(false);
    expect(one([key('b', 'owner'), key('b', 'a')])).toBe(true);
  });
});
