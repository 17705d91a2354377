import { z } from 'zod';
import published from './stripe-api.json';

/** The part of JSON schema that the extract of the provider's published API has. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

/** By endpoint, such as `GET /v1/refunds/{refund}`. */
export const parameters = published.parameters as unknown as Readonly<Record<string, Schema>>;
/** By the name that an object has in its member `object`. */
export const objects = published.objects as unknown as Readonly<Record<string, Schema>>;

/** What of a value is not as the schema says. */
export const problemsOf = (schema: Schema, value: unknown): string[] =>
  z
    .fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], { defaultTarget: 'openapi-3.0' })
    .safeParse(value)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** Members of an answer, nested ones too, that the published object does not have. */
export function unknownMembers(schema: Schema | undefined, value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !schema) return [];
  const { properties } = schema;
  if (!properties) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name in properties ? unknownMembers(properties[name], member, `${at}${name}.`) : [`${at}${name}`],
  );
}
