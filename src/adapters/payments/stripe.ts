import Stripe from 'stripe';
import { CountersignError } from '../../domain/errors';
import { fromProviderAmount, toProviderAmount } from '../../domain/money/providerAmounts';
import type { RefundReason } from '../../domain/refund/request';
import type {
  IssueRefund,
  PaymentProvider,
  ProviderBooks,
  ProviderPayment,
  ProviderRefund,
  RefundPage,
  RefundPageRequest,
} from '../../ports/payments';
import { failureOf } from './failureTable';
import { oneAttemptClient } from './oneAttempt';
import {
  chargeIdOf,
  effectKeyKey,
  idOf,
  linksOf,
  markedOurs,
  refundedElsewhere,
  refundOf,
  runIdKey,
} from './stripeObjects';

export interface StripeSettings {
  readonly apiKey: string;
  /** Another base than Stripe's own: the sandbox provider. */
  readonly apiBase?: string;
  /** Names the account in our ledger; one per provider account. */
  readonly account: string;
  /** For calls that move or read refunds, ms. */
  readonly timeoutMs?: number;
}

/** Never `fraudulent` unless it was asked for by name: it feeds the provider's block lists. */
const providerReason: Record<RefundReason, Stripe.RefundCreateParams.Reason | undefined> = {
  duplicate: 'duplicate',
  fraudulent: 'fraudulent',
  requested_by_customer: 'requested_by_customer',
  damaged: 'requested_by_customer',
  not_received: 'requested_by_customer',
  not_as_described: 'requested_by_customer',
  goodwill: 'requested_by_customer',
};

/**
 * Stripe, or whatever speaks its API, through the official SDK. The SDK's own retries are off, since our policy
 * decides; only a read is sent once more when a connection is closed on it.
 */
export class StripePayments implements PaymentProvider {
  private readonly stripe: Stripe;

  constructor(private readonly settings: StripeSettings) {
    const base = settings.apiBase === undefined ? undefined : new URL(settings.apiBase);
    this.stripe = new Stripe(settings.apiKey, {
      maxNetworkRetries: 0,
      httpClient: oneAttemptClient(),
      timeout: settings.timeoutMs ?? 10_000,
      telemetry: false,
      appInfo: { name: 'countersign' },
      ...(base
        ? {
            protocol: base.protocol === 'http:' ? ('http' as const) : ('https' as const),
            host: base.hostname,
            ...(base.port === '' ? {} : { port: base.port }),
          }
        : {}),
    });
  }

  async loadPayment(paymentId: string, timeoutMs: number): Promise<ProviderPayment> {
    return this.readPayment(paymentId, timeoutMs, async (charge, within) => {
      const refunds = charge.amount_refunded === 0 ? [] : await this.refundsOf(charge.id, within());
      return this.paymentOf(charge, refunds, within());
    });
  }

  async readBooks(paymentId: string, timeoutMs: number): Promise<ProviderBooks> {
    return this.readPayment(paymentId, timeoutMs, async (charge, within) => {
      const refunds = await this.refundsOf(charge.id, within());
      return { payment: await this.paymentOf(charge, refunds, within()), refunds: refunds.map(refundOf) };
    });
  }

  async listRefunds({ from, to, after, limit }: RefundPageRequest): Promise<RefundPage> {
    const seconds = { gte: Math.floor(from / 1000), lte: Math.floor(to / 1000) };
    try {
      const page = await this.stripe.refunds.list({
        created: seconds,
        limit,
        ...(after === undefined ? {} : { starting_after: after }),
      });
      const last = page.data.at(-1);
      return {
        refunds: page.data.map((refund) => {
          const runId = refund.metadata?.[runIdKey];
          return { id: refund.id, paymentId: chargeIdOf(refund), ...(runId === undefined ? {} : { runId }) };
        }),
        next: page.has_more && last ? last.id : null,
      };
    } catch (error) {
      throw failureOf(error);
    }
  }

  async issueRefund(refund: IssueRefund): Promise<ProviderRefund> {
    const reason = providerReason[refund.reason];
    const amount = toProviderAmount(refund.amount);
    try {
      const created = await this.stripe.refunds.create(
        {
          charge: refund.paymentId,
          amount,
          metadata: {
            [runIdKey]: refund.runId,
            [effectKeyKey]: refund.key,
            countersign_reason: refund.reason,
          },
          ...(reason === undefined ? {} : { reason }),
        },
        { idempotencyKey: refund.key },
      );
      return refundOf(created);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async getRefund(refundId: string): Promise<ProviderRefund> {
    try {
      return refundOf(await this.stripe.refunds.retrieve(refundId));
    } catch (error) {
      throw failureOf(error);
    }
  }

  async findRefund(paymentId: string, key: string): Promise<ProviderRefund | undefined> {
    try {
      for await (const refund of this.stripe.refunds.list({ charge: paymentId, limit: 100 })) {
        if (refund.metadata?.[effectKeyKey] === key) return refundOf(refund);
      }
      return undefined;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** @param read what is wanted of the charge; `within` is what is left of the time */
  private async readPayment<T>(
    paymentId: string,
    timeoutMs: number,
    read: (charge: Stripe.Charge, within: () => Stripe.RequestOptions) => Promise<T>,
  ): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    const within = (): Stripe.RequestOptions => ({ timeout: Math.max(deadline - Date.now(), 1) });
    try {
      const chargeId = paymentId.startsWith('pi_') ? await this.chargeOf(paymentId, within()) : paymentId;
      const charge = await this.stripe.charges.retrieve(chargeId, {}, within());
      if (charge.status !== 'succeeded') throw new CountersignError('payment_unknown');
      return await read(charge, within);
    } catch (error) {
      const failure = failureOf(error);
      // The same bytes as for another tenant's payment (R38): nothing of what the provider said.
      throw failure.code === 'payment_unknown' ? new CountersignError('payment_unknown') : failure;
    }
  }

  private async paymentOf(
    charge: Stripe.Charge,
    refunds: readonly Stripe.Refund[],
    options: Stripe.RequestOptions,
  ): Promise<ProviderPayment> {
    const currency = charge.currency.toUpperCase();
    const minor = (amount: number) => fromProviderAmount(amount, currency).minor;
    return {
      account: this.settings.account,
      paymentId: charge.id,
      currency,
      captured: charge.captured ? minor(charge.amount_captured) : 0,
      ...(await this.voided(charge, options)),
      refundedElsewhere: minor(refundedElsewhere(refunds)),
      markedOurs: markedOurs(refunds).map(({ id, metadata, amount }) => ({
        ...{
          id,
          runId: metadata?.[runIdKey] ?? '',

          amount: minor(amount),
        },
      })),
      disputed: charge.disputed ? minor(await this.disputed(charge.id, options)) : 0,
      ...linksOf(charge),
      paidAt: charge.created * 1000,
    };
  }

  private async chargeOf(intentId: string, options: Stripe.RequestOptions): Promise<string> {
    const intent = await this.stripe.paymentIntents.retrieve(intentId, {}, options);
    if (intent.latest_charge === null) throw new CountersignError('payment_uncaptured');
    return idOf(intent.latest_charge);
  }

  private async refundsOf(chargeId: string, options: Stripe.RequestOptions): Promise<Stripe.Refund[]> {
    const refunds: Stripe.Refund[] = [];
    for await (const refund of this.stripe.refunds.list({ charge: chargeId, limit: 100 }, options))
      refunds.push(refund);
    return refunds;
  }

  /** An authorization that was given up shows as refunded, or by its intent. */
  private async voided(charge: Stripe.Charge, options: Stripe.RequestOptions): Promise<{ voided?: true }> {
    if (charge.captured) return {};
    const { payment_intent: intent, refunded } = charge;
    if (refunded || intent === null) return refunded ? { voided: true } : {};
    const { status } = await this.stripe.paymentIntents.retrieve(idOf(intent), {}, options);
    return status === 'canceled' ? { voided: true } : {};
  }

  private async disputed(chargeId: string, options: Stripe.RequestOptions): Promise<number> {
    let sum = 0;
    for await (const dispute of this.stripe.disputes.list({ charge: chargeId, limit: 100 }, options)) {
      if (dispute.status !== 'won') sum += dispute.amount;
    }
    return sum;
  }
}
