import type { Authorization } from '../ports/authorization';
import type { Engine } from '../ports/engine';
import type { PaymentProvider } from '../ports/payments';
import type { DecisionSignatures } from '../ports/signatures';
import type { Store } from '../ports/store';

/** What the use cases need; src/main wires it. */
export interface UseCases {
  readonly store: Store;
  readonly engine: Engine;
  readonly payments: PaymentProvider;
  readonly signatures: DecisionSignatures;
  readonly authorization: Authorization;
}

/** How long the door waits for the provider before it accepts a request unvalidated, ms. */
export const providerPatienceMs = 2_000;

/** How long the door waits for a worker to answer a decision or a cancel before it answers 202, ms. */
export const workerPatienceMs = 2_500;
