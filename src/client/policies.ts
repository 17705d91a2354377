import { itemsOfPages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { Policy, PolicyReport, PolicySummary, PolicyText, PolicyToPublish } from './policyTypes';
import type { Page } from './types';

export interface PolicyPage {
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** `countersign.policies`: who may do what, how many must agree, and by when; the newest version is in force. */
export class Policies {
  constructor(private readonly transport: Transport) {}

  /** One page, newest first. */
  async list(page: PolicyPage = {}, options: CallOptions = {}): Promise<Page<PolicySummary>> {
    const query = { ...page };
    return (await this.transport.call<Page<PolicySummary>>({ path: '/v1/policies', query, ...options })).body;
  }

  /** Every version, newest first. */
  all(page: Omit<PolicyPage, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<PolicySummary> {
    return itemsOfPages((cursor) => this.list({ ...page, cursor }, options));
  }

  /** One version; the one in force without a name. @throws CountersignError not_found */
  async show(version?: string, options: CallOptions = {}): Promise<Policy> {
    const named = version ?? (await this.list({ limit: 1 }, options)).items[0]?.version ?? '';
    const path = `/v1/policies/${encodeURIComponent(named)}`;
    return (await this.transport.call<Policy>({ path, ...options })).body;
  }

  /** What is wrong with it and what it would change of the version in force. Administrators only. */
  async check(policy: PolicyText, options: CallOptions = {}): Promise<PolicyReport> {
    const call = { method: 'POST', path: '/v1/policies/check', body: policy, ...options } as const;
    return (await this.transport.call<PolicyReport>(call)).body;
  }

  /**
   * Publishes it in place of `expectedVersion`; sent again it is published once. Administrators only.
   * @throws CountersignError 422 invalid_request, policy_invalid, sensitive_text; 403 forbidden; 409 version_conflict
   */
  async publish(policy: PolicyToPublish, options: CallOptions = {}): Promise<Policy> {
    const call = { method: 'POST', path: '/v1/policies', body: policy, ...options } as const;
    return (await this.transport.call<Policy>(call)).body;
  }
}
