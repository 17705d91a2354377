import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { AuditUseCases } from '../application/audit';
import type { ContextUseCases } from '../application/assembleContext';
import type { InboxCheck } from '../application/checkInbox';
import type { ProviderNews } from '../application/providerNews';
import { CountersignError } from '../domain/errors';
import type { MemoryStore } from '../ports/memory';
import type { Recall } from '../ports/recall';
import type { SealedPayloads } from '../ports/payloads';
import type { Authenticator, Principal } from '../ports/people';
import type { InboxWatch, RunWatch } from '../ports/watch';
import { invalidRequest } from './problem';

export interface HttpDependencies extends ProviderNews, AuditUseCases, InboxCheck, ContextUseCases {
  readonly memory: MemoryStore;
  readonly recall: Recall;
  readonly authenticator: Authenticator;
  readonly watch: RunWatch;
  readonly inboxWatch: InboxWatch;
  /** What must answer before this process takes traffic; rejects with what is wrong. */
  readonly readiness: Readonly<Record<string, () => Promise<unknown>>>;
  readonly version: string;
  /** Calls that one key may make in a minute; 0, or nothing, for no limit. */
  readonly callsPerMinute?: number;
  /** Where histories are encrypted: what opens them for administrators, and the one origin whose pages may ask for it. */
  readonly payloads?: { readonly sealed: SealedPayloads; readonly uiOrigin?: string | undefined };
  /** For what no caller is told: unexpected errors, by request id. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

export type HttpEnv = {
  Variables: {
    requestId: string;
    principal: Principal;
    /** Whether the credential of this call is still good: for calls that last. */
    stillHeld: () => Promise<boolean>;
  };
};
export type Api = OpenAPIHono<HttpEnv>;
export type ApiContext = Context<HttpEnv>;

/** Largest accepted body, bytes (R41). */
export const maxBodyBytes = 64 * 1024;
/** Of a document, which is a body like no other; as JSON a character may take six. */
export const maxDocumentBytes = 4 * 1024 * 1024;

export function bearerToken(c: ApiContext): string | undefined {
  return /^Bearer ([!-~]{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1];
}

export function tooLarge(maxBytes: number): () => never {
  return () => {
    throw new CountersignError('body_too_large', `the body is larger than ${maxBytes} bytes`, {
      maxBodyBytes: maxBytes,
    });
  };
}

/**
 * The parsed body.
 * @throws CountersignError unsupported_media_type, malformed_json, invalid_request
 */
export async function readBody<Schema extends z.ZodType>(
  c: ApiContext,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return parseInput(schema, await readJson(c));
}

/** For calls whose body may be left out. */
export function hasBody(c: ApiContext): boolean {
  return c.req.header('content-type') !== undefined;
}

/** @throws CountersignError unsupported_media_type, malformed_json */
export async function readJson(c: ApiContext): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new CountersignError('unsupported_media_type');
  const text = await c.req.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CountersignError('malformed_json');
  }
}

/** @throws CountersignError invalid_request */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}
