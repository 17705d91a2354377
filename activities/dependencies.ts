import type { AgentDesk } from '../src/ports/agentDesk';
import type { Authorization } from '../src/ports/authorization';
import type { BatchIntake } from '../src/ports/batches';
import type { KeptRows } from '../src/ports/erasures';
import type { Histories } from '../src/ports/histories';

import type { MemoryStore } from '../src/ports/memory';
import type { PaymentProvider } from '../src/ports/payments';
import type { DecisionSignatures } from '../src/ports/signatures';
import type { Store } from '../src/ports/store';

export interface Dependencies {
  readonly store: Store;
  readonly payments: PaymentProvider;
  readonly signatures: DecisionSignatures;
  readonly authorization: Authorization;
  readonly memory: MemoryStore;
  readonly agent: AgentDesk;
  readonly histories: Histories;
  readonly reasonToKeep: KeptRows;
  /** How the rows of a batch come in. */
  readonly batches: BatchIntake;
  /** How long the provider remembers a key, ms; an older unknown is looked up instead of re-sent (R5). */
  readonly providerKeyWindowMs: number;
  /** A payment on which a run of ours has moved something this recently is left for the next reconciliation, ms. Default 15 minutes. */
  readonly reconcileGraceMs?: number;
}
