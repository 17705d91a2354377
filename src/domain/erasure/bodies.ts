import { z } from 'zod';

/** An id of a person as an owner of memories, a user behind a service, or a customer; looked for as it stands. */
export const personSubject = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!#-&(-[\]-~]+$/, 'letters, digits and signs without spaces, quotation marks and backslashes');

export const newErasure = z.strictObject({ person: personSubject });
