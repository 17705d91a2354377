import type { BodyOf, Schemas, Taken } from './schemas';

/** One conversation of one owner. Times in ISO 8601, UTC. */
export type Thread = Schemas['Thread'];
/** A message as it stands in its thread; it never changes. */
export type ThreadMessage = Schemas['ThreadMessage'];
export type ThreadRole = ThreadMessage['role'];
/** A message as it is appended; a `clientMessageId` is made where it is missing. */
export type NewMessage = Taken<BodyOf<'appendThreadMessages'>['messages'][number]>;
export type AppendedMessages = Schemas['AppendedMessages'];
/** What a model sees of a thread. */
export type ThreadContext = Schemas['ThreadContext'];
export type ContextManifestItem = ThreadContext['manifest'][number];
