import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { isFinal, type RefundFilter, type RefundRequest } from '../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { amountOptions, listOptions, showList, type ListOptions } from './lists';
import { onBehalfOf } from './onBehalfOf';
import { answer, example } from './output';
import { lineOf, shippingOf } from './refundLines';
import { addReviewCommand } from './refundReview';
import { addSplitCommands, underKey } from './refundSplit';
import { refundList, refundPage, started, timelineLine, whatBecame } from './refundText';
import { shown } from './watch';

interface StartOptions extends ConnectionOptions {
  readonly payment: string;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly customer?: string;
  readonly order?: string;
  readonly thread?: string;
  readonly onBehalfOf?: string;
  readonly note?: string;
  readonly evidence?: string[];
  readonly line?: string[];
  readonly shipping?: string;
  readonly idempotencyKey?: string;
}

/** `countersign refund …` */
export function addRefundCommands(root: Command): void {
  const refund = root.command('refund').description('propose refunds, and see what becomes of them');

  callsApi(
    refund
      .command('start')
      .description('propose a refund')
      .requiredOption('--payment <id>', 'the payment: ch_… or pi_…')
      .requiredOption('--amount <amount>', 'in major units, such as 120.00')
      .requiredOption('--currency <code>', 'that of the payment, such as USD')
      .requiredOption(
        '--reason <reason>',
        'duplicate, fraudulent, requested_by_customer, damaged, not_received, not_as_described or goodwill',
      )
      .option('--customer <id>', 'whom the payment is of, where the provider does not say')
      .option('--order <id>', 'your order')
      .option('--thread <id>', 'the conversation that it belongs to')
      .option(...onBehalfOf)
      .option('--note <text>', 'for whoever approves')
      .option('--evidence <text...>', 'for whoever approves, one or several')
      .option(
        '--line <line...>',
        'units of a line of the order, <line>=<units>/<bought>@<total>, such as sku-1=1/3@10.00 for one of three that cost 10.00 together',
      )
      .option('--shipping <amount>', 'shipping: all of it, or <amount>/<total>')
      .option('--idempotency-key <key>', 'names this refund for good; without it one is made and printed'),
  )
    .addHelpText(
      'after',
      example(
        'refund start --payment ch_1 --amount 120.00 --currency USD --reason damaged',
        'refund start --payment ch_1 --order 42 --line sku-1=1/3@10.00 --shipping 4.90 --amount 8.23 --currency USD --reason damaged',
      ),
    )
    .action(start);

  readsApi(refund.command('show').description('what a refund is at').argument('<runId>'))
    .addHelpText('after', example('refund show run_7f3a'))
    .action(async (runId: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).refunds.show(runId),
        text: refundPage,
        ended: ({ phase }) => isFinal(phase),
        changes: (signal) => connect(options).refunds.watch(runId, { signal }),
      });
    });

  readsApi(
    amountOptions(listOptions(refund.command('list').description('refunds, newest first')))
      .option('--phase <phase>', 'only those that are in it, such as waiting_approval or completed')
      .option('--customer <id>', 'only those of this customer')
      .option('--payment <id>', 'only those of this payment, ch_…')
      .option('--requester <id>', 'only what this one asked for')
      .option('--from <time>', 'taken in then or later, such as 2026-11-01T00:00:00Z')
      .option('--to <time>', 'taken in before then'),
  )
    .addHelpText(
      'after',
      example('refund list --phase waiting_approval', 'refund list --currency EUR --min-amount 100.00'),
    )
    .action(list);

  callsApi(
    refund
      .command('watch')
      .description('follow a refund until it has ended; exits 0 when it is completed, else 1')
      .argument('<runId>'),
  )
    .addHelpText('after', example('refund watch run_7f3a'))
    .action(watch);

  callsApi(
    refund
      .command('cancel')
      .description('cancel a refund that the provider has not been asked for yet')
      .argument('<runId>')
      .option(...onBehalfOf),
  )
    .addHelpText('after', example('refund cancel run_7f3a'))
    .action(async (runId: string, options: ConnectionOptions & { onBehalfOf?: string }) => {
      const { status, refund: found } = await connect(options).refunds.cancel(runId, {
        onBehalfOf: options.onBehalfOf,
      });
      answer(options.json, found, () =>
        status === 'recorded'
          ? `${runId}: the cancel is on record and takes effect as soon as a worker is up\n`
          : `${runId} is cancelled\n`,
      );
    });

  addSplitCommands(refund);
  addReviewCommand(refund);
}

async function start(options: StartOptions): Promise<void> {
  const countersign = connect(options);
  const idempotencyKey = options.idempotencyKey ?? `cli-${randomUUID()}`;
  // What is not of its form is refused by the API, with the same code for every door.
  const request: RefundRequest = {
    paymentId: options.payment,
    amount: { value: options.amount, currency: options.currency },
    reason: options.reason as RefundRequest['reason'],
    customerId: options.customer,
    orderId: options.order,
    threadId: options.thread,
    onBehalfOf: options.onBehalfOf,
    note: options.note,
    evidence: options.evidence,
    lines: options.line?.map((line) => lineOf(line, options.currency)),
    shipping: options.shipping === undefined ? undefined : shippingOf(options.shipping, options.currency),
  };
  const accepted = await underKey(idempotencyKey, countersign.refunds.start(request, { idempotencyKey }));
  answer(options.json, { ...accepted, idempotencyKey }, () => started(accepted, idempotencyKey));
}

async function list(
  options: ListOptions & ConnectionOptions & Omit<RefundFilter, 'limit' | 'cursor'>,
): Promise<void> {
  const { refunds } = connect(options);
  const { phase, customer, payment, requester, from, to, currency, minAmount, maxAmount } = options;
  const asked = { phase, customer, payment, requester, from, to, currency, minAmount, maxAmount };
  await showList(
    options,
    asked,
    { page: (filter) => refunds.list(filter), all: (filter) => refunds.all(filter) },
    (page) => refundList(page, Object.values(asked).some(Boolean)),
  );
}

async function watch(runId: string, options: ConnectionOptions): Promise<void> {
  const { refunds } = connect(options);
  for await (const entry of refunds.watch(runId)) answer(options.json, entry, () => timelineLine(entry));
  const refund = await refunds.show(runId);
  answer(options.json, refund, () => whatBecame(refund));
  process.exitCode = refund.phase === 'completed' ? 0 : 1;
}
