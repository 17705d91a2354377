import type { PolicyCases } from '../domain/policy/cases';
import type { PolicyDocument } from '../domain/policy/document';
import type { Schemas } from './schemas';

export type { PolicyCases, PolicyDocument };

/** A policy as it is written. */
export interface PolicyText {
  /** Who may do what, as Cedar text. */
  readonly cedar: string;
  /** How many, how much and by when. */
  readonly table: PolicyDocument;
  /** Examples that are run before it is published. */
  readonly cases: PolicyCases;
}

export interface PolicyToPublish extends PolicyText {
  /** The version that it replaces: the one in force, as it was compared with. */
  readonly expectedVersion: string;
  /** Its name; a number without one. */
  readonly version?: string | undefined;
  readonly comment?: string | undefined;
}

export type PolicySummary = Schemas['PolicySummary'];
export type Policy = PolicySummary & PolicyText & Pick<Schemas['Policy'], 'inWords'>;
export type PolicyReport = Schemas['PolicyReport'];
