/** Refusals of doors that erase; part of the one catalogue (src/domain/errors.ts). */
export const erasureErrors = {
  erasure_not_open: {
    status: 409,
    retry: 'fail',
    meaning: 'This erasure waits for nobody any more.',
  },
} as const;
