import { CountersignError, isErrorCode, type ErrorCode } from '../domain/errors';

/** For answers without a code that this version knows: from a proxy in between, or of a newer server. */
const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'version_conflict',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_request',
};

/** The error that an answer with a failing status stands for; its other members are in `details`. */
export async function problemOf(answer: Response): Promise<CountersignError> {
  const body = await membersOf(answer);
  const { code, detail, type: _type, title: _title, status: _status, ...details } = body;
  const text =
    typeof detail === 'string' ? detail : `the answer was HTTP ${answer.status} without an explanation`;
  if (isErrorCode(code)) return new CountersignError(code, text, details);
  const nearest = byStatus[answer.status] ?? (answer.status >= 500 ? 'dependency_unavailable' : 'internal');
  return new CountersignError(nearest, text, { ...details, httpStatus: answer.status });
}

async function membersOf(answer: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

/** No answer at all: refused, reset, unknown host, or too slow. Whether the server acted is unknown. */
export function noAnswer(baseUrl: string, error: unknown): CountersignError {
  return new CountersignError('dependency_unavailable', `${baseUrl} does not answer (${reasonOf(error)})`, {
    reason: reasonOf(error),
  });
}

/** fetch says only "fetch failed"; what failed is its cause. By shape, since an error may be of another realm. */
function reasonOf(error: unknown): string {
  const { name, message, code, cause } = membersOfError(error);
  if (name === 'TimeoutError') return 'timeout';
  if (name === 'SyntaxError') return 'what comes back is not JSON; is that the address of the API?';
  if (typeof code === 'string') return code;
  if (typeof cause === 'object' && cause !== null) return reasonOf(cause);
  return typeof message === 'string' ? message : String(error);
}

function membersOfError(error: unknown): {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  cause?: unknown;
} {
  return typeof error === 'object' && error !== null ? error : {};
}
