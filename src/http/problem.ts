import type { Context } from 'hono';
import type { z } from 'zod';
import { CountersignError, errorCatalogue } from '../domain/errors';
import { redact } from '../domain/screening/screen';

/** An error as `application/problem+json`; `code` is stable, `detail` says what to do. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly [member: string]: unknown;
}

export function problemOf(error: CountersignError, requestId: string): Problem {
  return {
    ...error.details,
    type: `urn:countersign:error:${error.code}`,
    title: errorCatalogue[error.code].meaning,
    status: error.status,
    code: error.code,
    detail: error.detail,
    requestId,
  };
}

export function problemResponse(c: Context, error: CountersignError): Response {
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
  if (error.status === 401) headers['www-authenticate'] = 'Bearer realm="countersign"';
  if (error.code === 'insufficient_scope')
    headers['www-authenticate'] = bearerScopes(error.details['needed']);
  if (error.status === 503) headers['retry-after'] = '1';
  if (typeof error.details['retryAfterSeconds'] === 'number')
    headers['retry-after'] = String(error.details['retryAfterSeconds']);
  return c.body(JSON.stringify(problemOf(error, c.get('requestId') as string)), error.status as 400, headers);
}

/** As RFC 6750 tells a client which key it needs. */
function bearerScopes(needed: unknown): string {
  const scope = Array.isArray(needed) ? needed.join(' ') : '';
  return `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
}

/**
 * What is wrong, field by field. Values are never repeated, they may be what must not be stored (R39); nor is a
 * field's name where that holds such a thing.
 */
export function invalidRequest(error: z.ZodError): CountersignError {
  const issues = error.issues.slice(0, 20).map((issue) => ({
    path: issue.path.join('.'),
    message:
      issue.code === 'unrecognized_keys'
        ? `unknown field ${redact(issue.keys.slice(0, 5).join(', ').slice(0, 200))}`
        : issue.message,
  }));
  const [first] = issues;
  const where = first === undefined || first.path === '' ? 'the body' : first.path;
  return new CountersignError('invalid_request', `${where}: ${first?.message ?? 'not of its form'}`, {
    issues,
  });
}
