import type { Scene } from '../stage';
import { automatic } from './automatic';
import { deaths } from './deaths';
import { expiry } from './expiry';
import { lostAnswer } from './lostAnswer';
import { memoryGate } from './memoryGate';
import { editing, rejection } from './review';
import { twoChannels } from './twoChannels';

/** In the order in which the story is told. */
export const scenes: readonly Scene[] = [
  deaths,
  lostAnswer,
  rejection,
  editing,
  twoChannels,
  automatic,
  memoryGate,
  expiry,
];
