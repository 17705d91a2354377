import type { Child } from 'hono/jsx';
import type { Choice } from '../../application/readInbox';
import type { ApprovalView } from '../../application/views';
import { holdsScope } from '../../domain/access/scopes';
import type { ErrorCode } from '../../domain/errors';
import { queryOf } from '../asked';
import type { SignedIn } from '../context';
import { sentence } from '../words';
import type { Asked } from './listRoutes';

/** The boxes of a list that are ticked, by their values: a revision, as `id.proposalHash`. */
export type Ticked = ReadonlySet<string> | 'all';

/** Of what is not open any more. */
export const closed: Choice = { open: false, refusal: null };

export function isToChoose({ principal }: SignedIn, { status }: Asked): boolean {
  return holdsScope(principal.key.scopes, ['approvals:decide']) && (status === 'open' || status === 'any');
}

interface ChooseProps {
  readonly shown: boolean;
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  readonly children?: Child;
}

/** Around the list: what is ticked in it is looked at together, and decided on the page after. */
export function ChooseForm({ shown, signedIn, asked, children }: ChooseProps) {
  if (!shown) return <>{children}</>;
  return (
    <form method="post" action="/inbox/decisions" id="choose">
      <input type="hidden" name="csrf" value={signedIn.csrf} />
      <input type="hidden" name="query" value={queryOf(asked)} />
      <div class="choosing">
        <button name="decision" value="approve" data-key="A">
          Approve chosen…
        </button>
        <button name="decision" value="reject" class="danger" data-key="R">
          Reject chosen…
        </button>
        <button name="all" value="yes" class="quiet" data-key="X">
          Choose all on this page
        </button>
        <span id="chosen-count" class="faint" role="status"></span>
      </div>
      {children}
    </form>
  );
}

interface BoxProps {
  readonly approval: ApprovalView;
  readonly subject: string;
  readonly choice: Choice;
  readonly chosen: Ticked | undefined;
}

export function Box({ approval: { id, proposalHash, target }, subject, choice, chosen }: BoxProps) {
  const value = `${id}.${proposalHash}`;
  return (
    <label>
      <input
        type="checkbox"
        name="chosen"
        value={value}
        aria-label={`Choose ${subject} on ${target}`}
        disabled={!choice.open}
        checked={choice.open && (chosen === 'all' || chosen?.has(value) === true)}
      />
    </label>
  );
}

/** Why this person can't approve it, in a few words. */
const hindrances: Readonly<Partial<Record<ErrorCode, string>>> = {
  separation_of_duties: 'not for you',
  over_limit: 'above your limit',
  already_voted: 'you have approved',
  already_delegated: 'you handed it over',
};

export function Hindrance({ choice: { refusal } }: { choice: Choice }) {
  // Who has claimed it stands there already.
  if (refusal === null || refusal.code === 'approval_claimed') return <></>;
  return (
    <span class="tag" title={sentence(refusal.detail)}>
      {hindrances[refusal.code] ?? 'not yours to approve'}
    </span>
  );
}
