/** What people can be told about an approval besides their vote; part of the one catalogue in ../errors.ts. */
export const handlingErrors = {
  approval_claimed: {
    status: 409,
    retry: 'fail',
    meaning: 'Somebody else has claimed this approval; wait, or reject or escalate it.',
  },
  info_already_requested: {
    status: 409,
    retry: 'fail',
    meaning: 'A question of this person waits for its answer already.',
  },
  no_open_question: { status: 409, retry: 'fail', meaning: 'No such question waits for an answer.' },
  already_escalated: { status: 409, retry: 'fail', meaning: 'There is no further group to escalate to.' },
  already_delegated: {
    status: 409,
    retry: 'fail',
    meaning: 'This say was handed over already; take it back before deciding or handing it over again.',
  },
  nothing_to_withdraw: {
    status: 409,
    retry: 'fail',
    meaning: 'This person has no vote on this revision and has handed nothing over that can be taken back.',
  },
} as const;
