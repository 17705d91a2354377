import type { CallOptions, Transport } from './transport';
import type { Erasure, LegalHold, Retention, RetentionDays, RetentionDue } from './erasureTypes';
import type { Page } from './types';

/** `countersign.erasures`: everything that is kept of one person, taken away and proven gone. */
export class Erasures {
  constructor(private readonly transport: Transport) {}

  /**
   * Of oneself at once; an administrator's of somebody else waits for another administrator. The same one while it is open.
   * @throws CountersignError invalid_request, sensitive_text, forbidden
   */
  async request(person: string, options: CallOptions = {}): Promise<Erasure> {
    return this.call('POST', '', { person }, options);
  }

  /** @throws CountersignError not_found */
  async show(id: string, options: CallOptions = {}): Promise<Erasure> {
    return this.call('GET', `/${encodeURIComponent(id)}`, undefined, options);
  }

  /** The newest; administrators only. @throws CountersignError forbidden */
  async list(options: CallOptions = {}): Promise<Page<Erasure>> {
    return this.call('GET', '', undefined, options);
  }

  /** @throws CountersignError not_found, separation_of_duties, erasure_not_open */
  async confirm(id: string, options: CallOptions = {}): Promise<Erasure> {
    return this.call('POST', `/${encodeURIComponent(id)}/confirm`, undefined, options);
  }

  /** While nobody has confirmed it. @throws CountersignError not_found, erasure_not_open */
  async cancel(id: string, options: CallOptions = {}): Promise<Erasure> {
    return this.call('POST', `/${encodeURIComponent(id)}/cancel`, undefined, options);
  }

  private async call<Answer>(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    options: CallOptions,
  ): Promise<Answer> {
    const call = {
      method,
      path: `/v1/erasures${path}`,
      ...(body === undefined ? {} : { body }),
      ...options,
    };
    return (await this.transport.call<Answer>(call)).body;
  }
}

/** `countersign.retention`: how long things are kept, and what must not be touched; administrators only. */
export class RetentionDoors {
  constructor(private readonly transport: Transport) {}

  async show(): Promise<Retention> {
    return this.call('GET', '/retention');
  }

  /** @throws CountersignError invalid_request, version_conflict */
  async set(version: number, days: RetentionDays): Promise<Retention> {
    return this.call('PATCH', '/retention', { version, ...days });
  }

  /** What a sweep would take now. */
  async due(): Promise<RetentionDue> {
    return this.call('GET', '/retention/due');
  }

  /** @throws CountersignError dependency_unavailable */
  async sweep(): Promise<{ readonly sweepId: string }> {
    return this.call('POST', '/retention/sweeps');
  }

  async holds(released = false): Promise<Page<LegalHold>> {
    return this.call('GET', `/holds?released=${String(released)}`);
  }

  /** @throws CountersignError invalid_request, sensitive_text */
  async placeHold(
    hold: Pick<LegalHold, 'scope' | 'reason'> & { readonly subject?: string },
  ): Promise<LegalHold> {
    return this.call('POST', '/holds', hold);
  }

  /** @throws CountersignError not_found */
  async releaseHold(id: string): Promise<LegalHold> {
    return this.call('POST', `/holds/${encodeURIComponent(id)}/release`);
  }

  private async call<Answer>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const call = { method, path: `/v1/admin${path}`, ...(body === undefined ? {} : { body }) };
    return (await this.transport.call<Answer>(call)).body;
  }
}
