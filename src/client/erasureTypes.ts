import type { BodyOf, Schemas } from './schemas';

/** An erasure of one person. `person` is null when it is over: nothing keeps the id then. */
export type Erasure = Schemas['Erasure'];
/** How long what is kept, in days. */
export type Retention = Schemas['Retention'];
/** What is due for removal, and the legal holds that stand. */
export type RetentionDue = Schemas['RetentionDue'];
export type LegalHold = Schemas['LegalHold'];

/** As it is set: what is left out stays as it is. */
export type RetentionDays = Omit<BodyOf<'setRetention'>, 'version'>;
