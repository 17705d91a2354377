/** What memory and knowledge answer with; part of the one catalogue in ../errors.ts. */
export const memoryErrors = {
  memory_denied: { status: 403, retry: 'fail', meaning: 'The memory policy refuses this candidate.' },
  memory_scope_invalid: {
    status: 422,
    retry: 'fail',
    meaning: 'A memory scope names exactly one tenant and one owner.',
  },
  memory_not_editable: {
    status: 422,
    retry: 'fail',
    meaning: 'A rule of procedure is approved or rejected as it is; reject it, and let another be proposed.',
  },
  memory_approval: {
    status: 409,
    retry: 'fail',
    meaning: 'A rule of procedure is decided on as an approval, which details name.',
  },
  pins_full: {
    status: 409,
    retry: 'fail',
    meaning: 'As many memories of this owner are pinned as may be; unpin one first.',
  },
  passage_superseded: {
    status: 410,
    retry: 'fail',
    meaning: 'The document has changed since; what is cited stands in an earlier version of it.',
  },
} as const;
