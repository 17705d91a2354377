import type { RefundBody } from '../refund/request';
import type { Citable, DraftInput, RefundDraft } from './draft';

/** Longest text of one piece of evidence, UTF-16 units; whoever wants more follows the citation. */
const longestEvidence = 900;

/** What of the conversation a proposal carries besides the draft. */
export interface ProposalContext {
  readonly runId: string;
  readonly threadId: string;
  readonly orderId?: string | undefined;
  /** Of the thread's owner, where that is the customer and not the caller. */
  readonly customerId?: string | undefined;
  readonly onBehalfOf?: string | undefined;
  /** Messages of the thread that speak for it, `thread:<id>#<seq>`. */
  readonly turns: readonly string[];
  /** `rules`, or the model's name. */
  readonly by: string;
}

/**
 * The body of `POST /v1/refunds` for a draft. Who proposes it, and what it rests on, is said by code; of the proposer's own
 * words only the explanation is in it, marked as such.
 */
export function proposalBody(draft: RefundDraft, input: DraftInput, context: ProposalContext): RefundBody {
  const { runId, threadId, orderId, customerId, onBehalfOf, turns, by } = context;
  const cited = [...input.passages, ...input.memories].filter(({ id }) => draft.cites.includes(id));
  const note = [
    `Proposed by agent run ${runId} (${by === 'rules' ? 'by rules' : `by model ${by}`}); nobody has agreed to it yet.`,
    `Its words: ${draft.explanation}`,
    ...cited.map(({ id, label }) => `Cites ${id} (${label})`),
  ].join('\n');
  return {
    paymentId: draft.paymentId,
    amount: draft.amount,
    reason: draft.reason,
    threadId,
    ...(orderId === undefined ? {} : { orderId }),
    ...(customerId === undefined ? {} : { customerId }),
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
    note: cut(note, 2_000),
    evidence: [...cited.map(evidenceOf), ...turns].slice(0, 20),
  };
}

function evidenceOf({ id, text }: Citable): { label: string; text: string } {
  return { label: cut(id, 200), text: cut(text, longestEvidence) };
}

/** No half of a character at the end. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 2).replace(/[\ud800-\udbff]$/, '')} …`;
}
