import { randomUUID } from 'node:crypto';
import { Option, type Command } from 'commander';
import { CountersignError, type SplitRefund, type SplitRequest } from '../client';
import { allocations, type Allocation } from '../domain/refund/split';
import { amountText } from './amountText';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { onBehalfOf } from './onBehalfOf';
import { answer, example } from './output';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { moment } from './terminal/time';
import { shown } from './watch';

interface SplitOptions extends ConnectionOptions {
  readonly order: string;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly payment: string[];
  readonly allocation: Allocation;
  readonly customer?: string;
  readonly onBehalfOf?: string;
  readonly note?: string;
  readonly idempotencyKey?: string;
}

/** `countersign refund split`, `countersign refund show-split` */
export function addSplitCommands(refund: Command): void {
  callsApi(
    refund
      .command('split')
      .description('propose the refund of an order over several of its payments, all or nothing')
      .requiredOption('--order <id>', 'your order')
      .requiredOption('--amount <amount>', 'in all, in major units, such as 120.00')
      .requiredOption('--currency <code>', 'that of the payments, such as USD')
      .requiredOption('--reason <reason>', 'as of: countersign refund start --help')
      .requiredOption('--payment <id...>', 'the payments of the order: ch_… or pi_…')
      .addOption(
        new Option('--allocation <how>', 'by what each payment had captured, or one after the other')
          .choices(allocations)
          .default('proportional'),
      )
      .option('--customer <id>', 'whom the payments are of, where the provider does not say')
      .option(...onBehalfOf)
      .option('--note <text>', 'for whoever approves')
      .option('--idempotency-key <key>', 'names this refund for good; without it one is made and printed'),
  )
    .addHelpText(
      'after',
      example('refund split --order 42 --payment ch_1 ch_2 --amount 120.00 --currency USD --reason damaged'),
    )
    .action(split);

  readsApi(
    refund
      .command('show-split')
      .description('the parts of a split, and how far they are')
      .argument('<splitId>'),
  )
    .addHelpText('after', example('refund show-split spl_7f3a'))
    .action(async (splitId: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).refunds.showSplit(splitId),
        text: splitPage,
        ended: ({ state }) => state !== 'in_progress',
      });
    });
}

/** What fails on the way may have been taken in: only the same key finds out without a second refund. */
export async function underKey<T>(idempotencyKey: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status < 500) throw error;
    throw new CountersignError(error.code, error.detail, { ...error.details, idempotencyKey });
  }
}

async function split(options: SplitOptions): Promise<void> {
  const { refunds } = connect(options);
  const idempotencyKey = options.idempotencyKey ?? `cli-${randomUUID()}`;
  const request: SplitRequest = {
    orderId: options.order,
    amount: { value: options.amount, currency: options.currency },
    reason: options.reason as SplitRequest['reason'],
    payments: options.payment.map((paymentId) => ({ paymentId })),
    allocation: options.allocation,
    customerId: options.customer,
    onBehalfOf: options.onBehalfOf,
    note: options.note,
  };
  const accepted = await underKey(idempotencyKey, refunds.split(request, { idempotencyKey }));
  answer(
    options.json,
    { ...accepted, idempotencyKey },
    () => `${splitPage(accepted)}
  idempotency key  ${idempotencyKey} (sent again with the same options, it is the same refund)

See how far it is: countersign refund show-split ${accepted.splitId}
`,
  );
}

function splitPage({ splitId, state, orderId, amount, refunded, allocation, ...more }: SplitRefund): string {
  return [
    `${splitId}  ${state.replaceAll('_', ' ')}\n`,
    fields([
      ['order', orderId],
      ['amount', `${amountText(amount)}, ${allocation.replaceAll('_', ' ')}`],
      ['gone back', amountText(refunded)],
      ['reason', more.reason],
      ['requested by', more.requester],
      ['requested', moment(more.createdAt)],
    ]),
    '\n',
    table(more.refunds, [
      { title: 'RUN', of: ({ runId }) => runId },
      { title: 'PHASE', of: ({ phase }) => phase },
      { title: 'AMOUNT', of: (part) => amountText(part.amount) },
      { title: 'PAYMENT', of: ({ paymentId }) => paymentId },
    ]),
  ].join('');
}
