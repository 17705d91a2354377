import type { ConnectionOptions } from './connection';
import { wholeNumber } from './numbers';

export interface OrderOptions extends ConnectionOptions {
  readonly expectVersion?: number;
}

/** Of orders that two people may give at the same time. */
export const expectVersion = [
  '--expect-version <n>',
  'refused when it has another version than the one that was seen',
  wholeNumber,
] as const;
