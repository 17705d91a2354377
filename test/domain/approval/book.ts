import { people, type Somebody } from './approvalFixture';

/** One thing that happens, `wait` minutes after the last. */
export type Action = { readonly wait: number } & (
  | { readonly act: 'approve' | 'reject' | 'claim' | 'release' | 'withdraw'; readonly who: Somebody }
  | { readonly act: 'escalate' | 'request_info' | 'answer_info' | 'comment'; readonly who: Somebody }
  | { readonly act: 'stale' | 'late'; readonly who: Somebody }
  | { readonly act: 'delegate'; readonly who: Somebody; readonly to: Somebody }
  | { readonly act: 'edit'; readonly who: Somebody; readonly minor: number }
  | { readonly act: 'reset' }
);
type ByPerson = Exclude<Action, { act: 'reset' }>;

const approvers: readonly Somebody[] = ['ann', 'bob', 'sam', 'lead'];
const askers: readonly Somebody[] = ['requester', 'principal'];
const claimMinutes = 30;

/**
 * The rules told a second time, as a book-keeper would: he keeps lists as things happen, where the real thing computes
 * from what was proposed. Policy here: escalation adds the executives, of whom the chief is one.
 */
export class Book {
  status: 'open' | 'approved' | 'rejected' = 'open';
  votes = new Set<string>();
  /** Who gave his say to whom. */
  given = new Map<string, string>();
  asking = new Set<string>();
  minutes = 0;
  private readonly proposed: { by: string; minor: number }[];
  /** Wrote the revision in force, and did more than lower it. */
  private author: string | undefined;
  private escalated = false;
  private claim: { by: string; until: number } | undefined;

  constructor(private amount: number) {
    this.proposed = [{ by: 'requester', minor: amount }];
  }

  /** @returns whether the action is accepted */
  take(action: Action): boolean {
    this.minutes += action.wait;
    if (action.act === 'reset') {
      this.votes.clear();
      this.given.clear();
      this.claim = undefined;
      return true;
    }
    if (this.status !== 'open' || action.act === 'stale' || action.act === 'late') return false;
    if (!this.mayAct(action)) return false;
    const { id } = people[action.who];
    if (!this.does(action, id)) return false;
    if (['approve', 'edit', 'reject'].includes(action.act)) this.asking.delete(id);
    if (['approve', 'edit', 'reject', 'delegate'].includes(action.act) && this.claim?.by === id)
      this.claim = undefined;
    if (this.status === 'open' && this.hasQuorum()) this.status = 'approved';
    return true;
  }

  private mayAct({ act, who }: ByPerson): boolean {
    if (act === 'withdraw') return people[who].kind === 'person' && people[who].tenant === 'acme';
    if (act === 'answer_info') return askers.includes(who);
    if (act === 'comment' && askers.includes(who)) return true;
    if (approvers.includes(who)) return true;
    return who === 'chief' && (this.escalated || [...this.given.values()].includes('chief'));
  }

  private does(action: ByPerson, id: string): boolean {
    switch (action.act) {
      case 'approve':
        if (!this.hasHisSay(action.who) || id === this.author || !this.withinLimit(action.who)) return false;
        if (this.votes.has(id)) return false;
        this.votes.add(id);
        return true;
      case 'edit':
        if (!this.hasHisSay(action.who) || action.minor === this.amount) return false;
        this.revise(action.who, action.minor);
        return true;
      case 'reject':
        this.status = 'rejected';
        return true;
      case 'escalate':
        if (this.escalated) return false;
        return (this.escalated = true);
      case 'claim':
        if (this.isHeldFrom(action.who) || this.given.has(id)) return false;
        this.claim = { by: id, until: this.minutes + claimMinutes };
        return true;
      case 'release':
        if (this.heldBy() !== undefined && this.heldBy() !== id) return false;
        this.claim = undefined;
        return true;
      case 'request_info':
        if (this.asking.has(id)) return false;
        this.asking.add(id);
        return true;
      case 'answer_info': {
        const [only, ...others] = this.asking;
        if (only === undefined || others.length > 0) return false;
        return this.asking.delete(only);
      }
      case 'delegate':
        return this.giveSay(id, action.to);
      case 'withdraw':
        return this.votes.delete(id) || this.takeSayBack(id);
      default:
        return true;
    }
  }

  private giveSay(id: string, to: Somebody): boolean {
    const receiver = people[to].id;
    if (!approvers.includes(to) && to !== 'chief') return false;
    if (receiver === id || this.given.has(id) || this.votes.has(id)) return false;
    if (this.given.has(receiver) || [...this.given.values()].includes(receiver)) return false;
    this.given.set(id, receiver);
    return true;
  }

  private takeSayBack(id: string): boolean {
    const chain: string[] = [];
    for (let at = this.given.get(id); at !== undefined; at = this.given.get(at)) chain.push(at);
    if (chain.length === 0 || chain.some((holder) => this.votes.has(holder))) return false;
    for (const giver of [id, ...chain]) this.given.delete(giver);
    return true;
  }

  private heldBy(): string | undefined {
    return this.claim && this.minutes < this.claim.until ? this.claim.by : undefined;
  }

  private isHeldFrom(who: Somebody): boolean {
    const holder = this.heldBy();
    if (holder === undefined || holder === people[who].id) return false;
    return !(who === 'chief' && this.escalated);
  }

  private hasHisSay(who: Somebody): boolean {
    return !this.given.has(people[who].id) && !this.isHeldFrom(who);
  }

  private revise(who: Somebody, minor: number): void {
    const { id } = people[who];
    const lowestOfOthers = Math.min(...this.proposed.filter((p) => p.by !== id).map((p) => p.minor));
    const lowered = minor < this.amount && minor <= lowestOfOthers;
    this.proposed.push({ by: id, minor });
    this.amount = minor;
    this.author = lowered ? undefined : id;
    this.votes = new Set(lowered && this.withinLimit(who) ? [id] : []);
  }

  private withinLimit(who: Somebody): boolean {
    if (who === 'lead' || who === 'chief' || this.amount > 500_000) return true;
    return this.amount <= (who === 'sam' ? 10_000 : 500_000);
  }

  private hasQuorum(): boolean {
    if (this.amount <= 50_000) return this.votes.size >= 1;
    return this.votes.size >= 2 && (this.amount <= 500_000 || this.votes.has('lead'));
  }
}
