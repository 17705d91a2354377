import type { StripeSettings } from '../adapters/payments/stripe';
import type { TemporalSettings } from '../adapters/temporal/connection';
import type { ModelSettings } from '../adapters/model/settings';
import { required, type Settings } from './settings';

export function temporalSettings(settings: Settings): TemporalSettings {
  const tls = {
    ...(settings.TEMPORAL_TLS_SERVER_NAME === undefined
      ? {}
      : { serverName: settings.TEMPORAL_TLS_SERVER_NAME }),
    ...(settings.TEMPORAL_TLS_CA === undefined ? {} : { caFile: settings.TEMPORAL_TLS_CA }),
    ...(settings.TEMPORAL_TLS_CERT === undefined ? {} : { certFile: settings.TEMPORAL_TLS_CERT }),
    ...(settings.TEMPORAL_TLS_KEY === undefined ? {} : { keyFile: settings.TEMPORAL_TLS_KEY }),
  };
  return {
    address: required(settings, 'TEMPORAL_ADDRESS'),
    namespace: settings.TEMPORAL_NAMESPACE,
    ...(settings.TEMPORAL_API_KEY === undefined ? {} : { apiKey: settings.TEMPORAL_API_KEY }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
    ...(settings.COUNTERSIGN_ENCRYPTION_KEYS === undefined
      ? {}
      : { encryptionKeys: settings.COUNTERSIGN_ENCRYPTION_KEYS }),
  };
}

export function stripeSettings(settings: Settings): StripeSettings {
  return {
    apiKey: required(settings, 'STRIPE_API_KEY'),
    account: 'default',
    ...(settings.STRIPE_API_BASE === undefined ? {} : { apiBase: settings.STRIPE_API_BASE }),
  };
}

/** @throws Error that says what is missing for the model that was chosen; undefined where rules were */
export function modelSettings(settings: Settings): ModelSettings | undefined {
  if (settings.COUNTERSIGN_MODEL === 'rules') return undefined;
  return {
    kind: settings.COUNTERSIGN_MODEL,
    name: required(settings, 'COUNTERSIGN_MODEL_NAME'),
    apiKey: required(settings, 'COUNTERSIGN_MODEL_API_KEY'),
    structuredOutput: settings.COUNTERSIGN_MODEL_STRUCTURED_OUTPUT === 'auto',
    timeoutMs: settings.COUNTERSIGN_MODEL_TIMEOUT_SECONDS * 1_000,
    inputPrice: settings.COUNTERSIGN_MODEL_INPUT_PRICE,
    outputPrice: settings.COUNTERSIGN_MODEL_OUTPUT_PRICE,
    ...(settings.COUNTERSIGN_MODEL_BASE_URL === undefined
      ? {}
      : { baseUrl: settings.COUNTERSIGN_MODEL_BASE_URL }),
  };
}
