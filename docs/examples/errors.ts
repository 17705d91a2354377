import { Countersign, CountersignError, type RefundRequest } from 'countersign';

/** Every refusal is a CountersignError; its `code` is stable, and `details` holds what it is about. */
export async function refundOrExplain(
  countersign: Countersign,
  request: RefundRequest,
  idempotencyKey: string,
): Promise<string> {
  try {
    const { runId } = await countersign.refunds.start(request, { idempotencyKey });
    return runId;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    switch (error.code) {
      case 'exceeds_remaining':
        return `only ${String(error.details['remaining'])} cents are left of that payment`;
      case 'idempotency_conflict':
        return 'that key was used for another refund';
      case 'invalid_request':
        return `fix the fields: ${JSON.stringify(error.details['issues'])}`;
      case 'dependency_unavailable':
      case 'rate_limited':
        // It was tried several times under the same key. Whether it was taken in is not known: try again under that key.
        return 'try again later, with the same key';
      default:
        throw error;
    }
  }
}

/** What gets no answer, 429, 502, 503 or 504 is sent again under the same key: here up to ten times. */
export function patientClient(baseUrl: string, token: string): Countersign {
  return new Countersign({ baseUrl, token, retry: { retries: 10, firstDelayMs: 100 }, timeoutMs: 10_000 });
}
