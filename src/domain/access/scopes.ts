import type { Authority } from '../approval/state';

/** What a key opens. Whether its holder may then do it is his role's matter: a scope only narrows. */
export const scopes = {
  'refunds:propose': 'propose refunds, and cancel them',
  'refunds:read': 'read refunds, payments and their timelines',
  'refunds:review': 'settle refunds that need review',
  'approvals:read': 'read the inbox',
  'approvals:answer': 'answer what a reviewer asks',
  'approvals:decide': 'decide',
  'memory:read': 'read memories, threads and knowledge',
  'memory:write': 'propose and forget memories, add to threads and knowledge',
  'runs:read': 'read agent runs and batches',
  'runs:start': 'start agent runs and batches',
  'policy:read': 'read policies',
  'policy:publish': 'check and publish policies',
  'reconciliation:read': 'read reconciliations',
  'reconciliation:run': 'start reconciliations and dismiss differences',
  'audit:read': 'read, export and verify the audit log',
  'audit:anchor': 'set an anchor of the audit log now',
  'brake:read': 'see the kill switch',
  'brake:move': 'pull and release the kill switch',
  admin: 'manage people, groups, keys and channels',
} as const;

export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];

/** Only of keys from before there were scopes, and of the embedded setup; no door gives it. */
export const everyScope = '*';

/** With these a person's key can move money or give somebody the power to. */
const ofPeople: readonly Scope[] = [
  'approvals:decide',
  'refunds:review',
  'policy:publish',
  'brake:move',
  'admin',
];

export function holdsScope(held: readonly string[], needed: readonly Scope[]): boolean {
  return held.includes(everyScope) || needed.some((scope) => held.includes(scope));
}

/** Scopes that a key of this kind of identity can't have: services and agents propose, people answer for the rest. */
export function scopesOutOfReach(kind: Authority['kind'], wanted: readonly Scope[]): Scope[] {
  return kind === 'person' ? [] : wanted.filter((scope) => ofPeople.includes(scope));
}

export function letsDecide(wanted: readonly Scope[]): boolean {
  return wanted.some((scope) => scope === 'approvals:decide' || scope === 'refunds:review');
}

/** Whether a key of that holder would let whoever made it act as somebody who decides or administers. */
export function isPowerful(wanted: readonly Scope[]): boolean {
  return wanted.some((scope) => ofPeople.includes(scope));
}
