/** What agent runs are refused with, and what can go wrong with a model; part of the one catalogue in ../errors.ts. */
export const agentErrors = {
  agent_run_ended: { status: 409, retry: 'fail', meaning: 'This agent run has ended.' },
  agent_run_not_paused: {
    status: 409,
    retry: 'fail',
    meaning: 'This agent run goes on already; only one that is paused or needs review is resumed.',
  },
  agent_run_erased: {
    status: 409,
    retry: 'fail',
    meaning: 'The words of this agent run were erased with the person whose they were; it can not go on.',
  },
  agent_plan_invalid: {
    status: 422,
    retry: 'fail',
    meaning: 'The plan has an unknown step, one step twice, or a step before what it needs.',
  },
  agent_needs_input: {
    status: 422,
    retry: 'ask_person',
    meaning: 'The conversation does not say what is to be refunded; add it there, then resume the run.',
  },
  model_unavailable: {
    status: 503,
    retry: 'retry',
    meaning: 'The model does not answer, or is overloaded.',
  },
  model_rate_limited: { status: 503, retry: 'wait', meaning: 'The model asks to slow down.' },
  model_timeout: { status: 503, retry: 'retry', meaning: 'The model took longer than it may.' },
  model_authentication: {
    status: 502,
    retry: 'ask_person',
    meaning: 'The model does not accept our credentials.',
  },
  model_refused: { status: 502, retry: 'ask_person', meaning: 'The model does not take this request.' },
  model_malformed: {
    status: 502,
    retry: 'ask_person',
    meaning: 'What the model answers is not of the form that was asked for.',
  },
  model_overreached: {
    status: 502,
    retry: 'ask_person',
    meaning: 'The model proposes what it was not asked about, or claims an authority that nobody gave it.',
  },
} as const;
