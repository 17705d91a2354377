import { patienceMs } from './countersignApi';

export interface CountedRefund {
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
}

/** How often a refund of one payment was asked for. */
export interface CountedCalls {
  readonly total: number;
  readonly cut: number;
  readonly replayed: number;
  readonly keys: number;
}

/** The payment provider's own books, over HTTP: what it counts is what happened to the money. */
export class ProviderBooks {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly adminToken: string,
  ) {}

  /** A customer pays. `minor` in US cents. @returns the charge's id */
  async charge(minor: number): Promise<string> {
    const form = new URLSearchParams({ amount: String(minor), currency: 'usd', source: 'tok_visa' });
    const { id } = await this.call<{ id: string }>('POST', '/v1/charges', this.key, form);
    return id;
  }

  async refundsOf(charge: string): Promise<CountedRefund[]> {
    const { data } = await this.call<{ data: CountedRefund[] }>(
      'GET',
      `/v1/refunds?charge=${charge}`,
      this.key,
    );
    return data.map(({ amount, currency, status }) => ({ amount, currency, status }));
  }

  async refundCalls(charge: string): Promise<CountedCalls> {
    const query = new URLSearchParams({ method: 'POST', path: '/v1/refunds', payment: charge });
    const { counts } = await this.call<{ counts: CountedCalls }>(
      'GET',
      `/sandbox/requests?${query.toString()}`,
      this.adminToken,
    );
    const { total, cut, replayed, keys } = counts;
    return { total: Number(total), cut: Number(cut), replayed: Number(replayed), keys: Number(keys) };
  }

  /** For the next so many calls that refund this payment, the line goes dead after the commit, before the answer. */
  async loseAnswers(charge: string, times: number): Promise<void> {
    await this.call('POST', '/sandbox/faults', this.adminToken, {
      kind: 'cut_after_commit',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
      times,
    });
  }

  private async call<Body>(
    method: string,
    path: string,
    token: string,
    body?: URLSearchParams | object,
  ): Promise<Body> {
    const form = body instanceof URLSearchParams;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    if (!response.ok) throw new Error(`the provider answers ${response.status} to ${method} ${path}`);
    return (await response.json()) as Body;
  }
}

/** What one refund of `minor` US cents looks like there. */
export function paid(minor: number): CountedRefund {
  return { amount: minor, currency: 'usd', status: 'succeeded' };
}
