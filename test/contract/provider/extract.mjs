/**
 * Takes from Stripe's published OpenAPI document what our calls need, without its prose:
 *
 *   node test/contract/provider/extract.mjs path/to/spec3.json > test/contract/provider/stripe-api.json
 *
 * The document is `openapi/spec3.json` of https://github.com/stripe/openapi (MIT), which the Go module
 * github.com/stripe/stripe-mock carries as `embedded/openapi/spec3.json`. It is eight megabytes, so only this extract
 * is kept; its `version` says of which day it is.
 *
 * Kept: the parameters of every endpoint that we call or that the sandbox answers in its place, and the objects that
 * these answer with, down to `deepest` levels of nested objects. An object that is only there when asked for by
 * `expand` is reduced to its id.
 */
import { readFileSync } from 'node:fs';

const endpoints = [
  'GET /v1/charges/{charge}',
  'POST /v1/charges',
  'GET /v1/payment_intents/{intent}',
  'POST /v1/refunds',
  'GET /v1/refunds',
  'GET /v1/refunds/{refund}',
  'GET /v1/disputes',
  'GET /v1/events/{id}',
  'POST /v1/webhook_endpoints',
  'POST /v1/webhook_endpoints/{webhook_endpoint}',
];
const objects = ['charge', 'payment_intent', 'refund', 'dispute', 'event', 'webhook_endpoint'];
const deepest = 2;
/** Unions over every payment method there is; nothing of ours reads them. */
const unread = ['payment_method_options', 'payment_method_details', 'next_action', 'radar_options'];
const kept = ['type', 'enum', 'maxLength', 'nullable', 'required', 'format'];

const spec = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const schemaNamed = (ref) => spec.components.schemas[ref.slice('#/components/schemas/'.length)];

function plain(schema, depth = 0) {
  if (schema.$ref !== undefined)
    return depth >= deepest ? { type: 'object' } : plain(schemaNamed(schema.$ref), depth + 1);
  const found = Object.fromEntries(kept.filter((name) => name in schema).map((name) => [name, schema[name]]));
  if (schema['x-expansionResources'] !== undefined)
    return { ...(schema.nullable ? { nullable: true } : {}), type: 'string', maxLength: 5000 };
  if (schema.anyOf !== undefined) {
    delete found.type;
    return { ...found, anyOf: schema.anyOf.map((one) => plain(one, depth)) };
  }
  if (schema.items !== undefined) found.items = plain(schema.items, depth);
  if (schema.properties !== undefined)
    found.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        unread.includes(name) ? { type: 'object', nullable: true } : plain(property, depth),
      ]),
    );
  if (schema.additionalProperties !== undefined)
    found.additionalProperties =
      typeof schema.additionalProperties === 'object'
        ? plain(schema.additionalProperties, depth)
        : schema.additionalProperties;
  return found;
}

function parametersOf(endpoint) {
  const [method, path] = endpoint.split(' ');
  const operation = spec.paths[path][method.toLowerCase()];
  if (method === 'POST')
    return plain(operation.requestBody.content['application/x-www-form-urlencoded'].schema);
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, plain(schema)])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** One line an entry, so that a newer version shows what has changed. */
const lines = (entries) =>
  `{\n${entries.map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`).join(',\n')}\n}`;

console.log(`{
"source": "openapi/spec3.json of https://github.com/stripe/openapi (MIT), extracted by extract.mjs",
"version": ${JSON.stringify(spec.info.version)},
"parameters": ${lines(endpoints.map((endpoint) => [endpoint, parametersOf(endpoint)]))},
"objects": ${lines(objects.map((name) => [name, plain(spec.components.schemas[name])]))}
}`);
