import { Client } from 'pg';
import type { RunWatch } from '../../ports/watch';

const reconnectAfterMs = 1_000;

/**
 * One LISTEN connection for all watchers of this process; it reconnects, and tells everybody to look after it has.
 * `channel`: `countersign_runs` names the run that has changed, and its tenant; `countersign_inbox` the tenant whose inbox has.
 */
export class PostgresRunWatch implements RunWatch {
  private readonly watchers = new Map<string, Set<() => void>>();
  private client: Promise<Client> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly channel: 'countersign_runs' | 'countersign_inbox' = 'countersign_runs',
  ) {}

  async subscribe(runId: string, changed: () => void): Promise<() => void> {
    await this.connected();
    const watching = this.watchers.get(runId) ?? new Set();
    watching.add(changed);
    this.watchers.set(runId, watching);
    return () => {
      watching.delete(changed);
      if (watching.size === 0 && this.watchers.get(runId) === watching) this.watchers.delete(runId);
    };
  }

  ofTenant(tenant: string, changed: () => void): Promise<() => void> {
    return this.subscribe(`tenant:${tenant}`, changed);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private connected(): Promise<Client> {
    this.client ??= this.connect();
    return this.client;
  }

  private connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    client.on('notification', ({ payload }) => this.tell(payload));
    client.on('error', () => undefined);
    const opened = client
      .connect()
      .then(() => client.query(`listen ${this.channel}`))
      .then(() => client);
    // A client that failed both rejects and ends; only the one in use counts, and once.
    const lost = () => {
      if (this.client === opened) this.lost();
    };
    client.on('end', lost);
    opened.catch(lost);
    return opened;
  }

  private lost(): void {
    this.client = undefined;
    if (this.closed || this.retry !== undefined || this.watchers.size === 0) return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.connected().then(
        () => [...this.watchers.keys()].forEach((runId) => this.tell(runId)),
        () => undefined,
      );
    }, reconnectAfterMs);
    this.retry.unref();
  }

  private tell(runId: string | undefined): void {
    for (const changed of this.watchers.get(runId ?? '') ?? []) changed();
  }
}
