import type { StripeSettings } from '../adapters/payments/stripe';
import type { TemporalSettings } from '../adapters/temporal/connection';
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
