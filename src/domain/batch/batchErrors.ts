/** What batches of thousands are refused with; part of the one catalogue in errors.ts. */
export const batchErrors = {
  batch_invalid: {
    status: 422,
    retry: 'fail',
    meaning: 'Rows of the file are not as they should be; the report names each with what to do.',
  },
  batch_empty: { status: 422, retry: 'fail', meaning: 'The file has no row.' },
  batch_too_large: {
    status: 422,
    retry: 'fail',
    meaning: 'The file has more rows than one batch takes; send it in parts.',
  },
  batch_mixed_currencies: {
    status: 422,
    retry: 'fail',
    meaning:
      'An approval as a whole has one sum, so its rows have one currency: send a file for each, or approve each.',
  },
  batch_row_repeated: {
    status: 422,
    retry: 'fail',
    meaning: 'The same key, or the same payment, amount and order, stands in an earlier row.',
  },
  batch_not_editable: {
    status: 422,
    retry: 'fail',
    meaning: 'A manifest is approved or rejected as it is; reject it and send another file to change it.',
  },
  batch_ended: { status: 409, retry: 'fail', meaning: 'The batch has ended.' },
  batch_not_paused: { status: 409, retry: 'fail', meaning: 'The batch is not paused.' },
  batch_cancelled: {
    status: 409,
    retry: 'fail',
    meaning: 'The batch was cancelled before this row was started.',
  },
  batch_item_changed: {
    status: 409,
    retry: 'fail',
    meaning: 'This row is not as the approved manifest has it.',
  },
  batch_item_stricter: {
    status: 409,
    retry: 'fail',
    meaning: 'Policy asks for more agreement to this refund than its batch was approved with.',
  },
  batch_approval_void: {
    status: 409,
    retry: 'fail',
    meaning: 'Who approved the batch may not do so any more, so it is approved by too few.',
  },
} as const;
