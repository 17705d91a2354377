import type { BodyOf, Schemas } from './schemas';

/** A policy as it is written: rules, table, and examples that are run before it is published. */
export type PolicyText = BodyOf<'checkPolicy'>;
export type PolicyToPublish = BodyOf<'publishPolicy'>;

/** How many, how much and by when. */
export type PolicyTable = Schemas['PolicyTable'];
/** Examples, and the people in them, who need not exist. */
export type PolicyCases = Schemas['PolicyCases'];
export type PolicySummary = Schemas['PolicySummary'];
export type Policy = Schemas['Policy'];
export type PolicyReport = Schemas['PolicyReport'];
