import { holdsScope, type Scope } from '../domain/access/scopes';
import { CountersignError } from '../domain/errors';
import { groups } from '../domain/people';
import type { Principal } from '../ports/people';

/** A part of the pages, as the navigation names it. */
export type Area =
  | 'approvals'
  | 'runs'
  | 'agents'
  | 'batches'
  | 'reviews'
  | 'reconciliation'
  | 'policies'
  | 'audit'
  | 'memory'
  | 'people';

interface Entry {
  readonly path: string;
  readonly name: string;
  /** A key that has it opens the page. */
  readonly scope: Scope;
  /** Whoever is in none of these is refused, whatever his key opens; absent: nobody. */
  readonly groups?: readonly string[];
}

const entries: Readonly<Record<Area, Entry>> = {
  approvals: { path: '/inbox', name: 'Approvals', scope: 'approvals:read' },
  runs: { path: '/runs', name: 'Runs', scope: 'refunds:read' },
  agents: { path: '/agents', name: 'Agents', scope: 'runs:read' },
  batches: { path: '/batches', name: 'Batches', scope: 'runs:read' },
  reviews: { path: '/reviews', name: 'Reviews', scope: 'refunds:read' },
  reconciliation: { path: '/reconciliation', name: 'Reconciliation', scope: 'reconciliation:read' },
  policies: { path: '/policies', name: 'Policies', scope: 'policy:read' },
  audit: { path: '/audit', name: 'Audit', scope: 'audit:read', groups: [groups.admins, groups.auditors] },
  memory: { path: '/memory', name: 'Memory', scope: 'memory:read' },
  people: { path: '/people', name: 'People', scope: 'memory:read', groups: [groups.admins] },
};

/** What this person's key opens, and nothing else. */
export function Pages({ principal, area }: { principal: Principal; area: Area | undefined }) {
  return (
    <nav aria-label="Pages">
      {Object.entries(entries)
        .filter(([, entry]) => isOpen(principal, entry))
        .map(([name, entry]) => (
          <a href={entry.path} {...(name === area ? { 'aria-current': 'page' } : {})}>
            {entry.name}
          </a>
        ))}
      <a href="/docs">API</a>
    </nav>
  );
}

export function pathOf(area: Area): string {
  return entries[area].path;
}

/** Whether the navigation leads this person there. */
export function leadsTo(principal: Principal, area: Area): boolean {
  return isOpen(principal, entries[area]);
}

function isOpen({ key, groups: member }: Principal, { scope, groups: only }: Entry): boolean {
  return holdsScope(key.scopes, [scope]) && (only?.some((group) => member.includes(group)) ?? true);
}

/** What a page needs to be read at all; his role is the use case's matter. @throws CountersignError insufficient_scope */
export function requireArea(principal: Principal, area: Area): void {
  requireScope(principal, entries[area].scope);
}

/** @throws CountersignError insufficient_scope */
export function requireScope({ key }: Principal, scope: Scope): void {
  if (holdsScope(key.scopes, [scope])) return;
  throw new CountersignError(
    'insufficient_scope',
    `Your key has not the scope ${scope}; ask an administrator.`,
  );
}
