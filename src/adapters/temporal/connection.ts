import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { EncryptionCodec } from './encryption';
import type { EncryptionKey } from './encryptionKeys';

export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: {
    readonly serverName?: string;
    /** PEM files. */
    readonly caFile?: string;
    readonly certFile?: string;
    readonly keyFile?: string;
  };
  /** The first encrypts payloads, all decrypt; without any, payloads stay plain. */
  readonly encryptionKeys?: readonly EncryptionKey[];
}

/** Address, TLS and API key, the same for clients and workers. */
export function connectionOptions(settings: TemporalSettings): ConnectionOptions {
  const { address, apiKey, tls } = settings;
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
  };
}

function tlsOptions(tls: NonNullable<TemporalSettings['tls']>) {
  const { serverName, caFile, certFile, keyFile } = tls;
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(caFile === undefined ? {} : { serverRootCACertificate: readFileSync(caFile) }),
    ...(certFile === undefined || keyFile === undefined
      ? {}
      : { clientCertPair: { crt: readFileSync(certFile), key: readFileSync(keyFile) } }),
  };
}

/** The converter that clients and workers share; the workflow bundle of the same kind holds the same one. */
export function dataConverterFor({
  encryptionKeys: keys = [],
}: Pick<TemporalSettings, 'encryptionKeys'>): DataConverter {
  return {
    payloadConverterPath: require.resolve('../../../workflows/payloadConverter'),
    payloadCodecs: [new EncryptionCodec(keys)],
    ...(keys.length === 0
      ? {}
      : { failureConverterPath: require.resolve('../../../workflows/failureConverter') }),
  };
}

/** Of whoever has no keys. */
export const dataConverter: DataConverter = dataConverterFor({});
