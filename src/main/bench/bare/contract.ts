/** What the bare workflow takes; `amount` in minor units. */
export interface BareRefund {
  readonly id: string;
  readonly charge: string;
  readonly amount: number;
}

export const bareTaskQueue = 'bare-refunds';

/** How the bare worker is told where things are: one JSON argument. */
export interface BareWorkerSettings {
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly providerUrl: string;
  readonly providerKey: string;
}

/** What the bare worker tells the process that forked it. */
export type BareNews = { readonly polls: true } | { readonly proposed: string };
