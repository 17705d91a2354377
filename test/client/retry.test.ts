import { CountersignError } from '../../src/client';
import { defaultRetry, delayBefore, isWorthRetrying, retryAfterMs } from '../../src/client/retry';

describe('retrying', () => {
  const options = { retries: 6, firstDelayMs: 200, longestDelayMs: 10_000 };
  const many = <T>(make: () => T) => Array.from({ length: 200 }, make);

  test.each([
    [0, 200],
    [1, 400],
    [3, 1_600],
    [10, 10_000],
  ])('before retry %d it waits anywhere up to %d ms, so that callers spread out', (retry, upTo) => {
    const delays = many(() => delayBefore(retry, options, undefined));
    expect(Math.max(...delays)).toBeLessThanOrEqual(upTo);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(upTo / 4);
  });

  test('what the server asks for is the least, up to the longest wait', () => {
    for (const delay of many(() => delayBefore(0, options, 3_000))) {
      expect(delay).toBeGreaterThanOrEqual(3_000);
      expect(delay).toBeLessThanOrEqual(3_200);
    }
    expect(delayBefore(0, options, 3_600_000)).toBe(10_000);
  });

  const now = Date.parse('2026-11-29T12:00:00Z');
  test.each<[string | null, number | undefined]>([
    [null, undefined],
    ['2', 2_000],
    ['0', 0],
    ['Sun, 29 Nov 2026 12:00:05 GMT', 5_000],
    ['Sun, 29 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After: %s is %s ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('R14: the catalogue decides before the status does', () => {
    const worth = (status: number, code: ConstructorParameters<typeof CountersignError>[0]) =>
      isWorthRetrying(status, new CountersignError(code));
    expect(worth(503, 'dependency_unavailable')).toBe(true);
    expect(worth(502, 'provider_unknown')).toBe(true);
    expect(worth(502, 'provider_refused')).toBe(false);
    expect(worth(502, 'provider_authentication')).toBe(false);
    expect(worth(500, 'internal')).toBe(false);
    expect(worth(409, 'decision_stale')).toBe(false);
  });

  test('by default it is patient enough for a restart', () => {
    const longest = Array.from({ length: defaultRetry.retries }, (_, retry) =>
      Math.min(defaultRetry.firstDelayMs * 2 ** retry, defaultRetry.longestDelayMs),
    ).reduce((sum, delay) => sum + delay, 0);
    expect(longest).toBeGreaterThan(10_000);
  });
});
