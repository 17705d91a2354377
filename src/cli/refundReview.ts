import type { Command } from 'commander';
import type { ReviewAction } from '../client';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { answer, example } from './output';

interface ReviewOptions extends ConnectionOptions {
  readonly action: string;
  readonly refund?: string;
  readonly comment?: string;
}

/** `countersign refund review` */
export function addReviewCommand(refund: Command): void {
  callsApi(
    refund
      .command('review')
      .description('settle a refund that needs review')
      .argument('<runId>')
      .requiredOption(
        '--action <action>',
        'retry (send it again under its own key), resolve_paid (with --refund), or fail',
      )
      .option('--refund <id>', "the provider's refund that paid it: re_…")
      .option('--comment <text>', 'why'),
  )
    .addHelpText('after', example('refund review run_7f3a --action resolve_paid --refund re_1'))
    .action(review);
}

async function review(runId: string, options: ReviewOptions): Promise<void> {
  // What is not of its form is refused by the API, with the same code for every door.
  const order = {
    action: options.action as ReviewAction,
    refundId: options.refund,
    comment: options.comment,
  };
  const { status, refund } = await connect(options).refunds.review(runId, order);
  answer(options.json, refund, () =>
    status === 'recorded'
      ? `${runId}: the order is on record and takes effect as soon as a worker is up\n`
      : `${runId} goes on; follow it: countersign refund watch ${runId}\n`,
  );
}
