import { CountersignError } from '../../src/domain/errors';
import { RateLimit } from '../../src/http/rateLimit';

describe('R41: how often a key may call', () => {
  const caller = (id: string, tenant = 'acme') => ({ tenant, key: { id, scopes: [], expiresAt: null } });
  /** `0` when the call may be made, else the seconds that it is told to wait. */
  const counting = (callsPerMinute: number) => {
    const clock = { ms: 1_000 };
    const limit = new RateLimit(callsPerMinute, () => clock.ms);
    const ask = (who = caller('k1')) => {
      try {
        limit.count(who);
        return 0;
      } catch (error) {
        if (!(error instanceof CountersignError)) throw error;
        expect([error.code, error.status, error.retry]).toEqual(['rate_limited', 429, 'wait']);
        return error.details['retryAfterSeconds'];
      }
    };
    return { clock, ask };
  };

  test('a whole minute of calls at once, then one for each share of a minute', () => {
    const { clock, ask } = counting(30);
    expect(Array.from({ length: 30 }, () => ask())).toEqual(Array(30).fill(0));
    expect([ask(), ask()]).toEqual([2, 2]);
    clock.ms += 1_999;
    expect(ask()).toBe(1);
    clock.ms += 1;
    expect([ask(), ask()]).toEqual([0, 2]);
    clock.ms += 60_000;
    expect(Array.from({ length: 31 }, () => ask())).toEqual([...Array<number>(30).fill(0), 2]);
  });

  test.each([7, 6_000, 999_983])('%d a minute are exactly as many, however they divide', (callsPerMinute) => {
    const { ask } = counting(callsPerMinute);
    let made = 0;
    while (ask() === 0) made += 1;
    expect(made).toBe(callsPerMinute);
  });

  test('R38: every key has its own, also where two tenants have keys of one id', () => {
    const { ask } = counting(1);
    const keys = [caller('k1'), caller('k2'), caller('k1', 'globex')];
    expect(keys.map((key) => ask(key))).toEqual([0, 0, 0]);
    expect(keys.map((key) => ask(key))).toEqual([60, 60, 60]);
  });

  test('forgetting keys that have their whole allowance forgives no other', () => {
    const { clock, ask } = counting(1);
    ask(caller('early'));
    clock.ms += 59_000;
    for (let i = 0; i < 10_000; i += 1) ask(caller(`k${i}`));
    expect(ask(caller('early'))).toBe(1);
    clock.ms += 1_000;
    expect([ask(caller('another')), ask(caller('early')), ask(caller('k9999'))]).toEqual([0, 0, 59]);
  });
});
