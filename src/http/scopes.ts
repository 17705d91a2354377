import { matchedRoutes } from 'hono/route';
import { holdsScope, type Scope } from '../domain/access/scopes';
import { CountersignError } from '../domain/errors';
import type { ApiContext } from './context';

interface Door {
  readonly path: RegExp;
  /** One of these to read; to do anything else, one of `change`. None: any key. */
  readonly read: readonly Scope[];
  readonly change: readonly Scope[];
}

const any: readonly Scope[] = [];

/** Which scope opens which address; the first that fits. What is not here opens to nobody. */
const doors: readonly Door[] = [
  door('self', any, any),
  door('admin', ['admin'], ['admin']),
  door('refunds/[^/]+/review', ['refunds:review'], ['refunds:review']),
  door('refunds', ['refunds:read'], ['refunds:propose']),
  door('payments', ['refunds:read'], ['refunds:propose']),
  door('approvals/check', ['admin'], ['admin']),
  door('approvals', ['approvals:read'], ['approvals:decide', 'approvals:answer']),
  door('memories/candidates/[^/]+', ['memory:read', 'admin'], ['admin']),
  door('memories/(candidates|holds|sources|[^/]+/quarantine)', ['admin'], ['admin']),
  door('(memories|threads|knowledge)', ['memory:read'], ['memory:write']),
  door('erasures', ['memory:read', 'admin'], ['memory:write', 'admin']),
  door('(runs|batches)', ['runs:read'], ['runs:start']),
  door('policies', ['policy:read'], ['policy:publish']),
  door('reconciliations', ['reconciliation:read'], ['reconciliation:run']),
  door('audit', ['audit:read'], ['audit:anchor']),
  door('brake', ['brake:read'], ['brake:move']),
];

function door(under: string, read: readonly Scope[], change: readonly Scope[]): Door {
  return { path: new RegExp(`^/v1/${under}(/|$)`), read, change };
}

/** @returns undefined where no door is known */
export function scopesFor(method: string, path: string): readonly Scope[] | undefined {
  const known = doors.find((candidate) => candidate.path.test(path));
  return known && (method === 'GET' || method === 'HEAD' ? known.read : known.change);
}

/**
 * Part of who somebody is here, so it comes right after 401 and before anything is looked up.
 * @throws CountersignError insufficient_scope
 */
export function checkScope(c: ApiContext): void {
  const needed = scopesFor(c.req.method, c.req.path);
  if (needed === undefined) {
    // Where nothing is served, 404 says so.
    if (matchedRoutes(c).some((route) => route.method !== 'ALL')) throw outOfScope([]);
    return;
  }
  if (needed.length > 0) requireScope(c, needed);
}

/** @throws CountersignError insufficient_scope */
export function requireScope(c: ApiContext, needed: readonly Scope[]): void {
  if (!holdsScope(c.get('principal').key.scopes, needed)) throw outOfScope(needed);
}

function outOfScope(needed: readonly Scope[]): CountersignError {
  return new CountersignError(
    'insufficient_scope',
    needed.length === 0
      ? 'no key opens this address'
      : `this key has not the scope ${needed.join(' or ')}; ask an administrator for one that has`,
    { needed },
  );
}
