import type { Command } from 'commander';
import type { Movement, Page } from '../client';
import { connect, readsApi, type ConnectionOptions } from './connection';
import { listOptions, more, showList, type ListOptions } from './lists';
import { example } from './output';
import { table } from './terminal/table';
import { age, moment } from './terminal/time';

/** `countersign payment …` */
export function addPaymentCommands(root: Command): void {
  const payment = root.command('payment').description('what has become of the money of one payment');

  readsApi(
    listOptions(
      payment
        .command('history')
        .description('every movement of its money, oldest first, with what is left of it after each')
        .argument('<paymentId>', 'ch_… or pi_…'),
    ),
  )
    .addHelpText('after', example('payment history ch_1'))
    .action(async (paymentId: string, options: ListOptions & ConnectionOptions) => {
      const { payments } = connect(options);
      await showList(
        options,
        {},
        {
          page: (filter) => payments.history(paymentId, filter),
          all: (filter) => payments.allHistory(paymentId, filter),
        },
        historyText,
      );
    });
}

function historyText(page: Page<Movement>): string {
  const lines = table(page.items, [
    { title: 'WHEN', of: ({ at }) => moment(at).replace(/ \(.*/, ''), short: ({ at }) => age(at) },
    { title: 'WHAT', of: ({ cause }) => cause },
    { title: 'FROM', of: ({ movements }) => accounts(movements, '-') },
    { title: 'TO', of: ({ movements }) => accounts(movements, '') },
    { title: 'AMOUNT', of: ({ movements, currency }) => `${amountOf(movements)} ${currency}` },
    { title: 'LEFT', of: ({ balances }) => balances.captured },
    { title: 'HELD', of: ({ balances }) => balances.reserved },
    { title: 'UNKNOWN', of: ({ balances }) => balances.unknown, optional: true },
    { title: 'REFUNDED', of: ({ balances }) => balances.refunded },
    { title: 'DISPUTED', of: ({ balances }) => balances.disputed, optional: true },
    { title: 'BY', of: ({ actor }) => actor, cut: true },
    { title: 'RUN', of: ({ runId }) => runId ?? '', optional: true },
    { title: 'REFUND', of: ({ refundId }) => refundId ?? '', optional: true },
  ]);
  return `${lines}${more(page)}`;
}

/** The accounts that it left, or came to. */
function accounts(movements: Movement['movements'], sign: '-' | ''): string {
  return movements
    .filter(({ value }) => value.startsWith('-') === (sign === '-'))
    .map(({ account }) => account)
    .join(' + ');
}

/** What left the one side is what came to the other; where several accounts moved, each has its own. */
function amountOf(movements: Movement['movements']): string {
  const arrived = movements.filter(({ value }) => !value.startsWith('-'));
  const left = movements.filter(({ value }) => value.startsWith('-'));
  const single = arrived.length === 1 ? arrived : left;
  return single.map(({ value }) => value.replace('-', '')).join(' + ');
}
