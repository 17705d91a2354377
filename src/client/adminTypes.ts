import type { BodyOf, Schemas } from './schemas';

export type PersonToAdd = BodyOf<'addPerson'>;
export type PersonChange = BodyOf<'changePerson'>;
export type GroupToAdd = BodyOf<'addGroup'>;
export type GroupToChange = BodyOf<'changeGroup'>;
export type NewKey = BodyOf<'createKey'>;
/** What a key opens. */
export type Scope = NewKey['scopes'][number];
export type NewChannelKey = BodyOf<'registerChannelKey'>;
export type PublicKey = NewChannelKey['publicKey'];
export type ChannelKeyRotation = BodyOf<'rotateChannelKey'>;

export type Tenant = Schemas['Tenant'];
export type Person = Schemas['Person'];
export type Group = Schemas['Group'];
export type ApiKey = Schemas['ApiKey'];
/** `unconfirmed` waits for a second administrator and opens nothing. */
export type KeyState = ApiKey['state'];
/** The token is told once; only its hash is kept. */
export type MintedKey = Schemas['MintedKey'];
export type ChannelKey = Schemas['ChannelKey'];
/** Whom a token stands for. */
export type Identity = Schemas['Self'];
