import { Client } from 'pg';
import type { RunWatch } from '../../ports/watch';

const channel = 'countersign_runs';
const reconnectAfterMs = 1_000;

/** One LISTEN connection for all watchers of this process; it reconnects, and tells everybody to look after it has. */
export class PostgresRunWatch implements RunWatch {
  private readonly watchers = new Map<string, Set<() => void>>();
  private client: Promise<Client> | undefined;
  private closed = false;

  constructor(private readonly url: string) {}

  async subscribe(runId: string, changed: () => void): Promise<() => void> {
    const watching = this.watchers.get(runId) ?? new Set();
    watching.add(changed);
    this.watchers.set(runId, watching);
    await this.connected();
    return () => {
      watching.delete(changed);
      if (watching.size === 0) this.watchers.delete(runId);
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private connected(): Promise<Client> {
    this.client ??= this.connect();
    return this.client;
  }

  private async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    client.on('notification', ({ payload }) => this.tell(payload));
    client.on('error', () => undefined);
    client.on('end', () => this.lost());
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      return client;
    } catch (error) {
      this.client = undefined;
      throw error;
    }
  }

  private lost(): void {
    this.client = undefined;
    if (this.closed || this.watchers.size === 0) return;
    setTimeout(() => {
      this.connected().then(
        () => [...this.watchers.keys()].forEach((runId) => this.tell(runId)),
        () => this.lost(),
      );
    }, reconnectAfterMs).unref();
  }

  private tell(runId: string | undefined): void {
    for (const changed of this.watchers.get(runId ?? '') ?? []) changed();
  }
}
