import type { CallOptions, Transport } from './transport';

/** A payload of a workflow history as JSON has it: base64. */
export interface HistoryPayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** `countersign.payloads`: what is encrypted in Temporal's histories, for administrators whose key has the scope `admin`. */
export class Payloads {
  constructor(private readonly transport: Transport) {}

  /**
   * Opens payloads of the administrator's own tenant; any other comes back as it was. At most 5,000 and 4 MiB at once.
   * The audit log says that he looked.
   * @throws CountersignError forbidden, insufficient_scope; not_found where the API has no keys
   */
  async decode(
    payloads: readonly HistoryPayload[],
    options: CallOptions = {},
  ): Promise<readonly HistoryPayload[]> {
    const call = { method: 'POST', path: '/codec/decode', body: { payloads }, ...options } as const;
    return (await this.transport.call<{ payloads: HistoryPayload[] }>(call)).body.payloads;
  }
}
