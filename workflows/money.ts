import { ofMoney, type RefundArguments, type RefundInput } from '../src/domain/refund/state';
import type { Desk } from './desk';

/** What is in force now, where money moves. */
export function moneyOf({ state }: Desk): RefundArguments {
  return ofMoney(state.arguments);
}

/** The input of a run that moves money. */
export function refundOf({ input }: Desk): RefundInput {
  return { ...input, arguments: ofMoney(input.arguments) };
}
