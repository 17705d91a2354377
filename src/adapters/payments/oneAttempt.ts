import Stripe from 'stripe';

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The SDK's own HTTP client, except that a POST whose connection broke is never sent again by the SDK itself: it
 * resends once on a reset, whatever its retries are set to. Whether and when to send again is our policy's to say (R14).
 */
export function oneAttemptClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request: Parameters<typeof send>) => {
    try {
      return await send(...request);
    } catch (error) {
      const [, , , method] = request;
      if (method !== 'POST') throw error;
      throw new Error('the connection to the provider broke', { cause: error });
    }
  };
  return client;
}
