import type { components, operations } from './api.generated';

/** What the document of the API defines. */
export type Schemas = components['schemas'];

/** What may be left out may be undefined as well, at any depth: JSON drops it. */
export type Taken<Body> = Body extends readonly (infer Item)[]
  ? readonly Taken<Item>[]
  : Body extends object
    ? {
        readonly [Member in keyof Body]: object extends Pick<Body, Member>
          ? Taken<Body[Member]> | undefined
          : Taken<Body[Member]>;
      }
    : Body;

/** What an operation takes. */
export type BodyOf<Id extends keyof operations> = operations[Id] extends {
  readonly requestBody?: { readonly content: { readonly 'application/json': infer Body } } | undefined;
}
  ? Taken<Body>
  : never;
