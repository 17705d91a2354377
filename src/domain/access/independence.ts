import { isPowerful, type Scope } from './scopes';

interface KeyRecord {
  readonly id: string;
  readonly person: string;
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly confirmedBy: string | null;
  readonly replacedBy: string | null;
}

/** Who stands in the audit log for what the owner of the database does. */
export const owner = 'owner';
/** Those, and keys from before it was on record who made them. */
const noPerson: readonly string[] = [owner, 'countersign'];

/**
 * Whether one human may be behind both: the one made the other's key alone, so he has seen its token, and whatever that
 * key made since is his as well. `keys`: every key that there ever was in the tenant. A key from the owner of the
 * database, which ends the others, says that this is somebody of his own.
 */
export function mayBeOneHuman(keys: readonly KeyRecord[], one: string, other: string): boolean {
  const reached = new Set([one]);
  const pairs = pairsOf(keys);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const [a, b] of pairs) {
      if (reached.has(a)) reached.add(b);
      if (reached.has(b)) reached.add(a);
    }
  }
  return reached.has(other);
}

function pairsOf(keys: readonly KeyRecord[]): [string, string][] {
  return keys
    .filter(
      (key) =>
        key.createdBy !== key.person &&
        !noPerson.includes(key.createdBy) &&
        key.confirmedBy === key.createdBy,
    )
    .filter(({ scopes }) => isPowerful(scopes as Scope[]))
    .filter(
      ({ person, createdAt }) => !keys.some((key) => fromOwner(key, person) && key.createdAt >= createdAt),
    )
    .map(({ person, createdBy }) => [person, createdBy]);
}

function fromOwner(key: KeyRecord, person: string): boolean {
  return key.person === person && key.createdBy === owner;
}
