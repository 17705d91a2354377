/** What threads, and contexts made from them, are refused with; part of the one catalogue in errors.ts. */
export const threadErrors = {
  thread_unknown: {
    status: 422,
    retry: 'fail',
    meaning:
      'No such thread belongs to whoever asks, to the person he asks for, or to the customer that the refund names.',
  },
  thread_full: {
    status: 409,
    retry: 'fail',
    meaning: 'This thread has as many messages as a thread may have; go on in a new one.',
  },
  message_conflict: {
    status: 409,
    retry: 'fail',
    meaning: 'This clientMessageId was used for another message of this thread.',
  },
  tool_call_unpaired: {
    status: 422,
    retry: 'fail',
    meaning: 'A tool result answers one call of its thread that has no result yet; a call id is used once.',
  },
  context_over_budget: {
    status: 422,
    retry: 'fail',
    meaning: 'What a context can not do without takes more tokens than the budget.',
  },
} as const;
