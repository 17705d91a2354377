import type { ChargeRow, DisputeRow, RefundRow } from './schema';

export type StripeObject = Record<string, unknown>;

/** What may still be refunded of a charge, in minor units. */
export function refundable(charge: ChargeRow): number {
  return Math.max(0, charge.amount_captured - charge.amount_refunded - charge.amount_disputed);
}

function suffix(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

/** A charge as Stripe shows it. Nothing here is a real card: every payment is made by the test token. */
export function chargeView(charge: ChargeRow): StripeObject {
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: charge.amount_captured,
    amount_refunded: charge.amount_refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: charge.captured ? `txn_${suffix(charge.id)}` : null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'SIMULATION',
    captured: charge.captured,
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: charge.ever_disputed,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: charge.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: 'approved_by_network',
      reason: null,
      risk_level: 'normal',
      seller_message: 'Simulated payment complete.',
      type: 'authorized',
    },
    paid: true,
    payment_intent: charge.payment_intent,
    payment_method: `pm_${suffix(charge.id)}`,
    payment_method_details: {
      type: 'card',
      card: { brand: 'visa', country: 'US', funding: 'credit', last4: '4242', network: 'visa' },
    },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: charge.captured && charge.amount_refunded === charge.amount_captured,
    review: null,
    shipping: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}

export function paymentIntentView(charge: ChargeRow): StripeObject {
  const waiting = !charge.captured && !charge.voided;
  return {
    id: charge.payment_intent,
    object: 'payment_intent',
    amount: charge.amount,
    amount_capturable: waiting ? charge.amount : 0,
    amount_received: charge.amount_captured,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: charge.voided ? charge.created : null,
    cancellation_reason: null,
    capture_method: charge.manual_capture ? 'manual' : 'automatic',
    client_secret: `${charge.payment_intent}_secret_simulation`,
    confirmation_method: 'automatic',
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    last_payment_error: null,
    latest_charge: charge.id,
    livemode: false,
    metadata: charge.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: `pm_${suffix(charge.id)}`,
    payment_method_options: {},
    payment_method_types: ['card'],
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.voided ? 'canceled' : waiting ? 'requires_capture' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}

export function refundView(refund: RefundRow): StripeObject {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: `txn_${suffix(refund.id)}`,
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    ...(refund.status !== 'failed' && refund.status !== 'canceled'
      ? {}
      : {
          failure_reason: refund.failure_reason,
          failure_balance_transaction: `txn_f${suffix(refund.id).slice(1)}`,
        }),
    metadata: refund.metadata,
    ...(refund.status === 'requires_action'
      ? {
          next_action: {
            type: 'display_details',
            display_details: {
              email_sent: { email_sent_at: refund.created, email_sent_to: 'customer@example.com' },
              expires_at: refund.created + 30 * 86_400,
            },
          },
        }
      : {}),
    payment_intent: refund.payment_intent,
    payment_method: `pm_${suffix(refund.charge)}`,
    ...(refund.pending_reason === null ? {} : { pending_reason: refund.pending_reason }),
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  };
}

export function disputeView(dispute: DisputeRow): StripeObject {
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [],
    charge: dispute.charge,
    created: dispute.created,
    currency: dispute.currency,
    enhanced_eligibility_types: [],
    evidence: { enhanced_evidence: {} },
    evidence_details: {
      due_by: dispute.created + 14 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    // While it is only an inquiry the money is still ours, and refunding it is the usual answer.
    is_charge_refundable: dispute.status === 'warning_needs_response' || dispute.status === 'won',
    livemode: false,
    metadata: {},
    payment_intent: dispute.payment_intent,
    reason: dispute.reason,
    status: dispute.status,
  };
}
