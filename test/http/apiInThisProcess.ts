import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresAuditLog } from '../../src/adapters/postgres/auditLog';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { PostgresAuthenticator } from '../../src/adapters/postgres/people';
import { PostgresRunWatch } from '../../src/adapters/postgres/runWatch';
import { PostgresProviderEvents } from '../../src/adapters/postgres/reviews';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { ChannelSignatures } from '../../src/adapters/signatures';
import { JwsAnchorSigner } from '../../src/adapters/signatures/anchorJws';
import { StripePayments } from '../../src/adapters/payments/stripe';
import { StripeWebhooks } from '../../src/adapters/payments/stripeWebhooks';
import { TemporalEngine } from '../../src/adapters/temporal/engine';
import { TemporalRunStates } from '../../src/adapters/temporal/runStates';
import { createApi } from '../../src/http/app';
import type { RunWatch } from '../../src/ports/watch';
import type { TestStack } from '../support/stack';

/** The API on the suite's own database, here, where its listeners can be counted. */
export class ApiInThisProcess {
  listeners = 0;

  private constructor(
    private readonly server: ServerType,
    private readonly closing: () => Promise<unknown>,
  ) {}

  static async start(stack: TestStack): Promise<ApiInThisProcess> {
    const database = new Database(stack.database.url);
    const watch = new PostgresRunWatch(stack.database.url);
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = stack.env;
    const engine = TemporalEngine.lazily({ address, namespace }, 'hash-key-for-tests-only');
    const counted: RunWatch = {
      subscribe: async (runId, changed) => {
        const stop = await watch.subscribe(runId, changed);
        api.listeners += 1;
        let stopped = false;
        return () => {
          if (!stopped) api.listeners -= 1;
          stopped = true;
          stop();
        };
      },
    };
    const { key: apiKey, url: apiBase } = stack.provider;
    const { fetch } = createApi({
      store: new PostgresStore(database),
      engine,
      runStates: new TemporalRunStates(engine.client),
      payments: new StripePayments({ apiKey, apiBase, account: 'default' }),
      signatures: new ChannelSignatures(database),
      authorization: new CedarAuthorization(),
      webhooks: new StripeWebhooks('none', undefined),
      providerEvents: new PostgresProviderEvents(database),
      memory: new PostgresMemories(database),
      auditLog: new PostgresAuditLog(database),
      anchorSigner: new JwsAnchorSigner({}),
      authenticator: new PostgresAuthenticator(database),
      watch: counted,
      readiness: {},
      version: 'test',
      onUnexpected: (error) => {
        throw error;
      },
    });
    const server = await new Promise<ServerType>((resolve) => {
      const listening = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening));
    });
    const api = new ApiInThisProcess(server, () =>
      Promise.all([watch.close(), engine.close(), database.close()]),
    );
    return api;
  }

  events(runId: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1/refunds/${runId}/events`;
  }

  async stop(): Promise<void> {
    this.server.close();
    if ('closeAllConnections' in this.server) this.server.closeAllConnections();
    await this.closing();
  }
}
