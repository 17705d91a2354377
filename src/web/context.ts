import type { Context, Hono } from 'hono';
import type { AuditUseCases } from '../application/audit';
import type { SignInUseCases } from '../application/signIn';
import type { UseCases } from '../application/dependencies';
import type { MemoryStore } from '../ports/memory';
import type { Principal } from '../ports/people';
import type { InboxWatch, RunWatch } from '../ports/watch';
import type { Reader } from './reader';

export interface WebDependencies extends UseCases, SignInUseCases, AuditUseCases {
  readonly memory: MemoryStore;
  readonly inboxWatch: InboxWatch;
  readonly watch: RunWatch;
  /** Where people reach these pages, when that is not where this process listens: behind a proxy, with https. */
  readonly publicUrl?: URL | undefined;
  /** Where the Temporal Web UI shows a run. */
  readonly temporalRunUrl?: ((tenant: string, runId: string) => string) | undefined;
  /** Of the HTTP API, for the page that shows it. */
  readonly apiDocument: () => unknown;
  /** For what nobody is told: unexpected errors, by request id. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** What was typed, by the names of the fields. */
export type Typed = Readonly<Record<string, string>>;

/** Somebody who is signed in, at this request. */
export interface SignedIn {
  readonly secret: string;
  readonly principal: Principal;
  readonly reader: Reader;
  /** Stands in every form; a request that changes something has to repeat it. */
  readonly csrf: string;
}

export type WebEnv = {
  Variables: {
    requestId: string;
    signedIn: SignedIn;
    /** The fields of a form that was sent, without what proves that it was ours. */
    typed: Typed;
    /** Why what was sent must be looked at again before anything is done; undefined where it may be done. */
    interrupted: { readonly status: 200 | 403; readonly says: string } | undefined;
  };
};
export type Web = Hono<WebEnv>;
export type WebContext = Context<WebEnv>;
