import { CountersignError } from '../domain/errors';
import type { Principal } from '../ports/people';

/** An allowance that is not used up comes back evenly within this, ms. */
const windowMs = 60_000;
/** So many keys are kept in mind before those with a whole allowance are forgotten. */
const keptInMind = 10_000;

/**
 * How often one key may call this process: `callsPerMinute` at once, and as many again spread over every minute. What a
 * key has left is one moment, the one at which its allowance is whole again.
 */
export class RateLimit {
  private readonly wholeAt = new Map<string, number>();
  private readonly callMs: number;

  constructor(
    private readonly callsPerMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.callMs = windowMs / callsPerMinute;
  }

  /** @throws CountersignError rate_limited with `retryAfterSeconds`; a call that is refused costs nothing */
  count({ tenant, key }: Pick<Principal, 'tenant' | 'key'>): void {
    const now = this.now();
    const caller = `${tenant} ${key.id}`;
    const wholeAt = Math.max(this.wholeAt.get(caller) ?? now, now) + this.callMs;
    const waitMs = wholeAt - now - windowMs;
    // Less than a microsecond is what is lost in adding up parts of milliseconds.
    if (waitMs > 0.001) {
      throw new CountersignError(
        'rate_limited',
        `this key has made its ${this.callsPerMinute} calls a minute; wait as Retry-After says`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      );
    }
    this.wholeAt.set(caller, wholeAt);
    if (this.wholeAt.size > keptInMind) this.forgetBefore(now);
  }

  private forgetBefore(now: number): void {
    for (const [caller, wholeAt] of this.wholeAt) if (wholeAt <= now) this.wholeAt.delete(caller);
  }
}
