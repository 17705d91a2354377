import { z } from 'zod';

/** One less than PostgreSQL counts to: a change makes the next one. */
export const largestVersion = 2_147_483_646;

/** The version of something that changes, as a caller read it. */
export const versionRead = z.int().min(1).max(largestVersion);
/** As `versionRead`, or 0 for something that has never been set. */
export const versionReadOrNone = z.int().min(0).max(largestVersion);
