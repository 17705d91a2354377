import type { RunInspection } from '../../application/inspectRun';

/** What a run waits for. Times as ISO 8601. */
export interface Waiting {
  readonly says: string;
  /** When it goes on by itself, or ends, whatever happens. */
  readonly until?: string;
  readonly since?: string;
}

type Inspected = Pick<RunInspection, 'run' | 'approval' | 'effects' | 'reviewGroup' | 'onItsWay'>;

/** In plain words: for whom or what this run waits. Undefined where it is over. */
export function waitingFor({
  run,
  approval,
  effects,
  reviewGroup,
  onItsWay,
}: Inspected): Waiting | undefined {
  switch (run.phase) {
    case 'validating':
      return {
        says: onItsWay
          ? 'A worker has not taken it up yet; it is started by itself as soon as Temporal and a worker answer.'
          : 'A worker checks the payment at the provider; where the provider does not answer, it is asked again.',
      };
    case 'waiting_approval':
      return approval ? forPeople(approval) : { says: 'The approval is being opened.' };
    case 'executing':
      return { says: forMoney(run, effects) };
    case 'settling':
      return {
        says: `The provider says that ${effects.find(({ state }) => state === 'pending')?.providerId ?? 'the refund'} is pending. Its next event, or asking it again with growing pauses, ends this.`,
      };
    case 'needs_review':
      return {
        says: `A member of ${reviewGroup} who did not ask for it settles this. There is no deadline; it also looks again by itself, first after 15 minutes, later every six hours.`,
        ...(run.review ? { since: run.review.since } : {}),
      };
    default:
      return undefined;
  }
}

function forPeople(approval: NonNullable<Inspected['approval']>): Waiting {
  const { policy, votes, needed, deadline, infoRequests, clock, openedAt } = approval;
  const groups = [policy.approverGroup, ...policy.escalatedTo].join(' or ');
  const missing = Math.max(needed - votes.length, 0);
  const count = missing === 1 ? 'One more vote' : `${missing} more votes`;
  const from = policy.oneFrom === null ? '' : `, with one from ${policy.oneFrom}`;
  const asked = infoRequests
    .filter(({ open }) => open)
    .map(({ by }) => ` ${by} has asked the requester a question.`)
    .join('');
  const paused = clock.pausedSince === null ? '' : ' The clock stands still until it is answered.';
  return {
    says: `${missing === 0 ? 'Votes' : count} from ${groups}${from}.${asked}${paused}`,
    until: deadline,
    since: openedAt,
  };
}

function forMoney(run: Inspected['run'], effects: Inspected['effects']): string {
  const sent = effects.find(({ state }) => state === 'sent' || state === 'unknown');
  if (sent) {
    return `What came of ${sent.key} at the provider is not known yet. The amount stays held, and the same key is asked about again with growing pauses.`;
  }
  if (run.brake) return 'The kill switch holds it: no money moves until it is released.';
  return 'A worker is about to call the provider.';
}
