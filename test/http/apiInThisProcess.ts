import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresRunWatch } from '../../src/adapters/postgres/runWatch';
import { TemporalEngine } from '../../src/adapters/temporal/engine';
import { createApi } from '../../src/http/app';
import type { HttpDependencies } from '../../src/http/context';
import { apiParts } from '../../src/main/apiParts';
import type { RunWatch } from '../../src/ports/watch';
import type { TestStack } from '../support/stack';

/** The API on the suite's own database, here, where its listeners can be counted. */
export class ApiInThisProcess {
  listeners = 0;

  private constructor(
    private readonly server: ServerType,
    private readonly closing: () => Promise<unknown>,
  ) {}

  static async start(
    stack: TestStack,
    more: Pick<HttpDependencies, 'callsPerMinute'> = {},
  ): Promise<ApiInThisProcess> {
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
      ofTenant: (tenant, changed) => watch.ofTenant(tenant, changed),
    };
    const { key: apiKey, url: apiBase } = stack.provider;
    const { fetch } = createApi({
      ...apiParts({ database, engine, stripe: { apiKey, apiBase, account: 'default' } }),
      ...more,
      watch: counted,
      inboxWatch: watch,
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

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  events(runId: string): string {
    return `${this.url}/v1/refunds/${runId}/events`;
  }

  async stop(): Promise<void> {
    this.server.close();
    if ('closeAllConnections' in this.server) this.server.closeAllConnections();
    await this.closing();
  }
}
