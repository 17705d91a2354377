import type { Ask } from '../domain/policy/authorization';
import type { Policy } from '../domain/policy/document';

/** What is wrong with a policy; `line` counts from 1. */
export interface PolicyProblem {
  readonly where: 'rules' | 'table' | 'cases';
  readonly rule?: string;
  readonly line?: number;
  readonly message: string;
}

export interface PolicyRule {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  readonly text: string;
}

/** Rules that say who may what. */
export interface Authorization {
  /** Answers under this version; it neither throws nor reads anything, and what can't be evaluated is a no (R42). */
  under(policy: Pick<Policy, 'cedar' | 'document'>): Ask;
  /** Syntax, and strict validation against the schema of what can be asked; empty when nothing is wrong. */
  problems(cedar: string): PolicyProblem[];
  /** The single rules, for showing; none when the text can't be read. */
  rules(cedar: string): PolicyRule[];
}
