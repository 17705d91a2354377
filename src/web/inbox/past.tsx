import type { ApprovalView } from '../../application/views';
import { Notice } from '../layout';
import { amountText, type Reader } from '../reader';
import { When } from '../time';

/** The kill switch is pulled: people may decide, and no money moves until it is released (R55). */
export function Held({ brake, reader }: { brake: ApprovalView['brake'] | undefined; reader: Reader }) {
  if (!brake) return <></>;
  return (
    <Notice kind="note">
      <p>
        The kill switch {brake.scope === '*' ? 'for all tenants' : 'of this tenant'} is pulled: {brake.reason}{' '}
        ({brake.actor}, <When at={brake.at} reader={reader} />
        ). Decisions count, and no money moves until it is released.
      </p>
    </Notice>
  );
}

/** What our records say of the payment and the customer before this refund; what nobody knows is said to be unknown. */
export function Past({ risk, reader }: { risk: ApprovalView['facts']['risk']; reader: Reader }) {
  if (!risk) return <></>;
  const { payment, customer, toOtherMethod } = risk;
  const disputed = Number(payment.disputed.value) > 0;
  return (
    <section aria-labelledby="past-title">
      <h2 id="past-title">Before this</h2>
      <dl class="facts">
        <div>
          <dt>Payment</dt>
          <dd>
            {before(payment, reader)}, paid {payment.ageHours} h before
            {disputed && <span class="tag risk">{`${amountText(payment.disputed, reader)} disputed`}</span>}
          </dd>
        </div>
        <div>
          <dt>Customer</dt>
          <dd>
            {customer === null
              ? 'unknown'
              : `${before(customer, reader)}; asked for in the last hour ${customer.lastHour}, day ${customer.lastDay}, 30 days ${customer.last30Days}`}
          </dd>
        </div>
        {toOtherMethod !== false && (
          <div>
            <dt>Paid back to</dt>
            <dd>{toOtherMethod === null ? 'unknown' : 'another method than it was paid with'}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

interface Counted {
  readonly refunds: number;
  readonly refunded: { readonly value: string; readonly currency: string };
  readonly rejections: number;
}

function before({ refunds, refunded, rejections }: Counted, reader: Reader): string {
  const count = refunds === 1 ? '1 other refund' : `${refunds} other refunds`;
  return `${count}, ${amountText(refunded, reader)}; ${rejections} rejected`;
}
