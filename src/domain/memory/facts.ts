import type { Authority } from '../approval/state';
import type { MemoryKind, MemorySource } from './candidate';

/** Who wants something of memory: an identity of the tenant, or the refund workflow. */
export type MemoryAsker = Pick<Authority, 'tenant' | 'id' | 'groups'> & {
  readonly kind: Authority['kind'] | 'workflow';
};

/** What policy knows of a memory: everything but what it says. */
export interface MemoryFacts {
  readonly tenant: string;
  readonly owner: string;
  readonly kind: MemoryKind;
  readonly source: MemorySource;
  readonly key: string;
  /** Holds a phone number, an e-mail or postal address. */
  readonly personal: boolean;
}

/** What policy knows of a candidate that the rules of the gate let through. */
export interface CandidateFacts extends MemoryFacts {
  /** Its owner asked for it in his own words, and a person or service says so. */
  readonly asked: boolean;
  /** 0 to 1. */
  readonly confidence: number;
  /** Kinds of what it was learnt from. */
  readonly evidence: readonly string[];
  readonly proposer: string;
}

/** One question about memory. */
export type MemoryQuestion =
  | { readonly action: 'remember' | 'suggest' | 'review_memory'; readonly candidate: CandidateFacts }
  | { readonly action: 'forget'; readonly memory: MemoryFacts };
