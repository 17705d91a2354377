import type { CallOptions, Transport } from './transport';

export interface OrderOptions extends CallOptions {
  /** The version that you have seen: refused as `version_conflict` when it has changed since. */
  readonly expectedVersion?: number | undefined;
}

/** An order to something that goes on. `verb`: pause, resume or cancel. */
export async function order<Changed>(
  transport: Transport,
  path: string,
  verb: string,
  { expectedVersion, signal }: OrderOptions,
): Promise<Changed> {
  const call = { method: 'POST', path: `${path}/${verb}`, body: { expectedVersion }, signal } as const;
  return (await transport.call<Changed>(call)).body;
}
