import type { components, operations } from './api.generated';

/** What the document of the API defines. */
export type Schemas = components['schemas'];

/** What may be left out may be undefined as well: JSON drops it. */
export type Taken<Body> = {
  readonly [Member in keyof Body]: object extends Pick<Body, Member>
    ? Body[Member] | undefined
    : Body[Member];
};

/** What an operation takes. */
export type BodyOf<Id extends keyof operations> = operations[Id] extends {
  readonly requestBody?: { readonly content: { readonly 'application/json': infer Body } } | undefined;
}
  ? Taken<Body>
  : never;
