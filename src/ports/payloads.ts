/** A payload as Temporal's Web UI and CLI send it to a codec server: base64 in JSON. */
export interface WirePayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data?: string | undefined;
}

/** Opens encrypted payloads for people. */
export interface SealedPayloads {
  /** Those of this tenant; any other, and what can't be opened, comes back as it was. */
  reveal(tenant: string, payloads: readonly WirePayload[]): WirePayload[];
}
