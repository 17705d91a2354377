import type { PolicyCases } from '../domain/policy/cases';
import type { PolicyDocument } from '../domain/policy/document';

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

export interface PolicySummary {
  readonly version: string;
  /** Counts the versions from 1. */
  readonly number: number;
  readonly publishedAt: string;
  readonly publishedBy: string | null;
  readonly comment: string | null;
}

export interface Policy extends PolicySummary, PolicyText {
  /** The table in plain words. */
  readonly inWords: readonly string[];
}

export interface PolicyReport {
  /** Whether it could be published. */
  readonly ok: boolean;
  readonly problems: readonly {
    readonly where: 'rules' | 'table' | 'cases';
    readonly rule?: string | undefined;
    /** From 1. */
    readonly line?: number | undefined;
    readonly message: string;
  }[];
  readonly cases: readonly {
    readonly case: string;
    readonly passed: boolean;
    readonly expected: string;
    readonly got: string;
    readonly detail?: string | undefined;
  }[];
  /** What it would change, in plain words. */
  readonly changes: readonly string[];
  /** Examples of either version that come out otherwise. */
  readonly changedAnswers: readonly {
    readonly case: string;
    readonly before: string;
    readonly after: string;
  }[];
}
