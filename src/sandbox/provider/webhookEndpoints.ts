import { z } from 'zod';
import { newId } from './identifiers';
import { listPage } from './listPage';
import { seconds } from './operation';
import type { Operation, Work } from './operation';
import { expand, flag, justExpand, listParameters, metadata, text } from './parameters';
import type { WebhookEndpointRow } from './schema';
import { noSuch } from './stripeError';
import type { StripeObject } from './stripeObjects';
import { simulatedApiVersion } from './eventOperations';

function endpointView(row: WebhookEndpointRow): StripeObject {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    api_version: simulatedApiVersion,
    application: null,
    created: row.created,
    description: row.description,
    enabled_events: row.enabled_events,
    livemode: false,
    metadata: row.metadata,
    status: row.enabled ? 'enabled' : 'disabled',
    url: row.url,
  };
}

const url = z.url({ protocol: /^https?$/ }).max(2_000);
const enabledEvents = z.array(text).min(1).max(100);

const createParameters = z.strictObject({
  url,
  enabled_events: enabledEvents,
  description: text.optional(),
  metadata: metadata.optional(),
  api_version: text.optional(),
  expand,
});

const createEndpoint: Operation<z.output<typeof createParameters>> = {
  method: 'POST',
  path: '/v1/webhook_endpoints',
  parameters: createParameters,
  async run(work, parameters) {
    const row = await work.db
      .insertInto('webhook_endpoints')
      .values({
        id: newId('we'),
        account: work.call.account,
        url: parameters.url,
        secret: newId('whsec'),
        enabled_events: parameters.enabled_events,
        enabled: true,
        description: parameters.description ?? null,
        metadata: JSON.stringify(parameters.metadata ?? {}),
        created: seconds(work.call.atMs),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    // As at Stripe, the secret is shown this once.
    return { ...endpointView(row), secret: row.secret };
  },
};

async function getEndpoint(work: Work): Promise<WebhookEndpointRow> {
  const row = await work.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', work.id)
    .where('account', '=', work.call.account)
    .executeTakeFirst();
  if (row === undefined) throw noSuch('webhook endpoint', work.id);
  return row;
}

const retrieveEndpoint: Operation<z.output<typeof justExpand>> = {
  method: 'GET',
  path: '/v1/webhook_endpoints/:id',
  parameters: justExpand,
  run: async (work) => endpointView(await getEndpoint(work)),
};

const endpointList = z.strictObject(listParameters);

const listEndpoints: Operation<z.output<typeof endpointList>> = {
  method: 'GET',
  path: '/v1/webhook_endpoints',
  parameters: endpointList,
  run: async (work, page) =>
    listPage<WebhookEndpointRow>(work, 'webhook_endpoints', '/v1/webhook_endpoints', page, endpointView),
};

const updateParameters = z.strictObject({
  url: url.optional(),
  enabled_events: enabledEvents.optional(),
  disabled: flag.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  expand,
});

const updateEndpoint: Operation<z.output<typeof updateParameters>> = {
  method: 'POST',
  path: '/v1/webhook_endpoints/:id',
  parameters: updateParameters,
  async run(work, changes) {
    const current = await getEndpoint(work);
    const row = await work.db
      .updateTable('webhook_endpoints')
      .set({
        url: changes.url ?? current.url,
        enabled_events: changes.enabled_events ?? current.enabled_events,
        enabled: changes.disabled === undefined ? current.enabled : !changes.disabled,
        description: changes.description ?? current.description,
        metadata: JSON.stringify(changes.metadata ?? current.metadata),
      })
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return endpointView(row);
  },
};

const deleteEndpoint: Operation<z.output<typeof justExpand>> = {
  method: 'DELETE',
  path: '/v1/webhook_endpoints/:id',
  parameters: justExpand,
  async run(work) {
    const { id } = await getEndpoint(work);
    await work.db.deleteFrom('webhook_endpoints').where('id', '=', id).execute();
    return { id, object: 'webhook_endpoint', deleted: true };
  },
};

export const webhookEndpointOperations = {
  createEndpoint,
  retrieveEndpoint,
  listEndpoints,
  updateEndpoint,
  deleteEndpoint,
};
