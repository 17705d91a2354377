import { liveChanges } from './events';
import { itemsOfPages } from './pages';
import type { Call, CallOptions, Transport } from './transport';
import type {
  Approval,
  ApprovalCounts,
  ApprovalDay,
  ApprovalStatus,
  CheckedPage,
  Decision,
  DecisionOutcome,
  InboxCheck,
  InboxDifference,
  ManyDecisions,
  Naming,
  Page,
  RecordedDecision,
  RiskMark,
  Saying,
  SignedDecision,
  TogetherOutcome,
} from './types';

export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  /** Those that this group may decide. */
  readonly group?: string | undefined;
  /** Opened at least this long ago: seconds, or with a unit, such as `90s`, `15m`, `24h`, `3d`. */
  readonly minAge?: string | undefined;
  /** Holds an unexpired claim; `me` is whoever asks. */
  readonly assignee?: string | undefined;
  /** The deadline is at most this far away, as `minAge`. */
  readonly dueIn?: string | undefined;
  /** ISO 4217; needed by the amounts and by sorting by amount. */
  readonly currency?: string | undefined;
  /** Major units of `currency`, inclusive. */
  readonly minAmount?: string | undefined;
  readonly maxAmount?: string | undefined;
  readonly customer?: string | undefined;
  readonly risk?: RiskMark | undefined;
  /** Words, "phrases" and -exclusions over ids, reason, note, order, customer and evidence. */
  readonly q?: string | undefined;
  /** Default `oldest`. */
  readonly sort?: 'oldest' | 'newest' | 'deadline' | 'amount' | undefined;
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/**
 * `countersign.approvals`. Decisions can be sent again without a second effect: without a `decisionId` the server
 * derives one from who decided what.
 */
export class Approvals {
  constructor(private readonly transport: Transport) {}

  /** One page of the inbox. @throws CountersignError invalid_request, amount_* */
  async list(filter: ApprovalFilter = {}, options: CallOptions = {}): Promise<Page<Approval>> {
    const { minAge, dueIn, minAmount, maxAmount, ...same } = filter;
    const query = { ...same, min_age: minAge, due_in: dueIn, min_amount: minAmount, max_amount: maxAmount };
    return (await this.transport.call<Page<Approval>>({ path: '/v1/approvals', query, ...options })).body;
  }

  /** Every approval that the filter lets through, page after page. */
  all(filter: Omit<ApprovalFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Approval> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** How much waits: for everybody, for whoever asks, and soon. */
  async counts(options: CallOptions = {}): Promise<ApprovalCounts> {
    return (await this.transport.call<ApprovalCounts>({ path: '/v1/approvals/counts', ...options })).body;
  }

  /** What came in, was decided and waited on each of the last days, oldest first; days of an IANA time zone, or UTC. */
  async daily(
    { timeZone }: { timeZone?: string } = {},
    options: CallOptions = {},
  ): Promise<readonly ApprovalDay[]> {
    const { body } = await this.transport.call<Page<ApprovalDay>>({
      path: '/v1/approvals/daily',
      query: { timeZone },
      ...options,
    });
    return body.items;
  }

  /**
   * Compares the whole inbox with what the workflows have, page after page; with `repair` rows that differ are written anew.
   * Administrators only. `progress` hears how many were compared so far.
   * @throws CountersignError forbidden, dependency_unavailable
   */
  async check(
    {
      repair = false,
      progress,
    }: { readonly repair?: boolean; readonly progress?: (checked: number) => void } = {},
    options: CallOptions = {},
  ): Promise<InboxCheck> {
    const differences: InboxDifference[] = [];
    let checked = 0;
    for (let cursor: string | undefined; ;) {
      const page = await this.checkPage({ repair, cursor }, options);
      checked += page.checked;
      differences.push(...page.differences);
      progress?.(checked);
      if (page.nextCursor === null) return { checked, differences, ok: differences.every((d) => d.repaired) };
      cursor = page.nextCursor;
    }
  }

  /** One page of `check`. @throws CountersignError forbidden, invalid_request, dependency_unavailable */
  async checkPage(
    body: {
      readonly repair?: boolean | undefined;
      readonly cursor?: string | undefined;
      /** Approvals a page, 1 to 24. Default 24. */
      readonly limit?: number | undefined;
    } = {},
    options: CallOptions = {},
  ): Promise<CheckedPage> {
    const call = { method: 'POST', path: '/v1/approvals/check', body, ...options } as const;
    return (await this.transport.call<CheckedPage>(call)).body;
  }

  /**
   * Something each time that the inbox has changed, and once it is listened to; read again what you show of it. Never
   * ends by itself: give a `signal`.
   * @throws CountersignError what the API refused with, or dependency_unavailable when it stays away
   */
  changes(options: CallOptions = {}): AsyncGenerator<void, void, undefined> {
    return liveChanges(this.transport, '/v1/approvals/events', options);
  }

  /** @throws CountersignError not_found */
  async show(id: string, options: CallOptions = {}): Promise<Approval> {
    return (await this.transport.call<Approval>({ ...at(id), ...options })).body;
  }

  /**
   * Decides exactly the revision that `proposalHash` names.
   * @returns the new state, or `recorded` when no worker was up to apply it; it is not lost
   * @throws CountersignError 404 not_found; 422 invalid_request, exceeds_remaining, edit_changes_nothing, amount_*;
   * 403 forbidden, separation_of_duties, over_limit; 409 decision_stale, decision_conflict, already_decided,
   * already_voted, approval_expired, approval_claimed, already_delegated, already_escalated, info_already_requested,
   * no_open_question, nothing_to_withdraw
   */
  async decide(id: string, decision: Decision, options: CallOptions = {}): Promise<DecisionOutcome> {
    const { status, body } = await this.transport.call<Approval | RecordedDecision>({
      method: 'POST',
      ...at(id, '/decisions'),
      body: decision,
      ...options,
    });
    return status === 202 ? (body as RecordedDecision) : { status: 'applied', approval: body as Approval };
  }

  /**
   * Approves or rejects up to 100 approvals, each by itself as `decide` does. Sent again, it answers as the first time.
   * @returns what came of each, in the order asked; of a `refused` one the `problem` says why
   * @throws CountersignError for the whole, before anything is decided: 422 invalid_request, sensitive_text; 403 insufficient_scope
   */
  async decideMany(decisions: ManyDecisions, options: CallOptions = {}): Promise<readonly TogetherOutcome[]> {
    const { body } = await this.transport.call<{ readonly items: readonly TogetherOutcome[] }>({
      method: 'POST',
      path: '/v1/approvals/decisions',
      body: decisions,
      ...options,
    });
    return body.items;
  }

  /** One vote for it. As `decide`. */
  async approve(id: string, naming: Naming, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'approve' }, options);
  }

  /** Ends the approval; nothing is refunded. As `decide`. */
  async reject(
    id: string,
    naming: Naming & Pick<Decision, 'reasonCode'>,
    options: CallOptions = {},
  ): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'reject' }, options);
  }

  /** Proposes other arguments, as a new revision without votes. `arguments` holds only what changes. As `decide`. */
  async edit(
    id: string,
    edit: Naming & { readonly arguments: NonNullable<Decision['arguments']> },
    options: CallOptions = {},
  ): Promise<DecisionOutcome> {
    return this.decide(id, { ...edit, decision: 'edit' }, options);
  }

  /** Asks the requester, and the person he asks for; the answer comes back to whoever asked. As `decide`. */
  async requestInfo(id: string, question: Saying, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...question, decision: 'request_info' }, options);
  }

  /** Answers a question: the one that `questionId` names, or the only open one. As `decide`. */
  async answerInfo(
    id: string,
    reply: Saying & Pick<Decision, 'questionId'>,
    options: CallOptions = {},
  ): Promise<DecisionOutcome> {
    return this.decide(id, { ...reply, decision: 'answer_info' }, options);
  }

  /** Asks the group of the policy's escalation now; nobody is removed. As `decide`. */
  async escalate(id: string, naming: Naming, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'escalate' }, options);
  }

  /** Hands one's say over to another person, who decides with his own groups and limit. As `decide`. */
  async delegate(
    id: string,
    delegation: Naming & { readonly to: string },
    options: CallOptions = {},
  ): Promise<DecisionOutcome> {
    return this.decide(id, { ...delegation, decision: 'delegate' }, options);
  }

  /** For a while nobody else approves, edits or claims; claimed again, it is renewed. As `decide`. */
  async claim(id: string, naming: Naming, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'claim' }, options);
  }

  /** Gives the claim up before it is over by itself. As `decide`. */
  async release(id: string, naming: Naming, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'release' }, options);
  }

  /** Takes back one's own vote, or what one has handed over, while the approval is open. As `decide`. */
  async withdraw(id: string, naming: Naming, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...naming, decision: 'withdraw' }, options);
  }

  /** For everybody who reads the approval. As `decide`. */
  async comment(id: string, remark: Saying, options: CallOptions = {}): Promise<DecisionOutcome> {
    return this.decide(id, { ...remark, decision: 'comment' }, options);
  }

  /** A signed decision for tools that can only signal a workflow. Nothing is decided yet. Refused as `decide` is. */
  async sign(id: string, decision: Decision, options: CallOptions = {}): Promise<SignedDecision> {
    const { body } = await this.transport.call<SignedDecision>({
      method: 'POST',
      ...at(id, '/signatures'),
      body: decision,
      ...options,
    });
    return body;
  }
}

function at(id: string, below = ''): Pick<Call, 'path'> {
  return { path: `/v1/approvals/${encodeURIComponent(id)}${below}` };
}
