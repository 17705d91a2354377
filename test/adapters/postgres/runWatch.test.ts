import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PostgresRunWatch } from '../../../src/adapters/postgres/runWatch';
import { LedgerFixture } from './ledgerFixture';
import { until } from '../../support/processes';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

/** PostgreSQL behind a door that can be slammed: what a restart or a fail-over looks like to a client. */
class Door {
  attempts = 0;
  private open = true;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (socket: Socket) => this.enter(socket));
  }

  static async at(url: string): Promise<{ door: Door; url: string }> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(url);
    const door = new Door(server, new URL(url));
    through.port = String((server.address() as AddressInfo).port);
    return { door, url: through.href };
  }

  slam(): void {
    this.open = false;
    for (const socket of this.sockets) socket.destroy();
  }

  unlock(): void {
    this.open = true;
  }

  /** Connections that PostgreSQL has from here. */
  get inside(): number {
    return this.sockets.size;
  }

  close(): void {
    this.slam();
    this.server.close();
  }

  private enter(socket: Socket): void {
    this.attempts += 1;
    socket.on('error', () => undefined);
    if (!this.open) return void socket.destroy();
    const onward = connect(Number(this.target.port), this.target.hostname);
    onward.on('error', () => socket.destroy());
    this.sockets.add(socket);
    socket.on('close', () => {
      this.sockets.delete(socket);
      onward.destroy();
    });
    onward.on('close', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  }
}

const enters = (runId: string, phase: string) =>
  ledger.rows(`update runs set phase = $2 where run_id = $1`, [runId, phase]);

describe('watching runs', () => {
  test('R28: one connection serves all watchers, and each is told of its own run alone', async () => {
    const { door, url } = await Door.at(ledger.database.url);
    const watch = new PostgresRunWatch(url);
    const [first, second] = [await ledger.run('ch_w', 1), await ledger.run('ch_w', 1)];
    const told = { first: 0, also: 0, second: 0 };
    await watch.subscribe(first, () => (told.first += 1));
    const stop = await watch.subscribe(first, () => (told.also += 1));
    await watch.subscribe(second, () => (told.second += 1));
    await enters(first, 'waiting_approval');
    await until(async () => told.first > 0);
    stop();
    await enters(second, 'waiting_approval');
    await enters(first, 'completed');
    await until(async () => told.first > 1);
    expect(told).toEqual({ first: 2, also: 1, second: 1 });
    expect(door.inside).toBe(1);
    await watch.close();
    door.close();
  });

  test('R28: votes and reminders are told at once too, though no phase changes', async () => {
    const watch = new PostgresRunWatch(ledger.database.url);
    const [voted, reminded] = [await ledger.run('ch_w', 1), await ledger.run('ch_w', 1)];
    const told: string[] = [];
    await watch.subscribe(voted, () => told.push(voted));
    await watch.subscribe(reminded, () => told.push(reminded));
    await ledger.rows(
      `insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, opened_at, deadline)
       values ($1, 'acme', $2, 'e', 'open', 'approvers', 1, 'USD', '{}', now(), now())`,
      [`apr_${voted}`, voted],
    );
    await ledger.rows(`update approvals set state = '{"votes": []}' where run_id = $1`, [voted]);
    await until(async () => told.includes(voted));
    const tell = (template: 'approval_waiting' | 'refund_completed') =>
      ledger.in((unit) =>
        unit.notifications.tell({
          key: `${reminded}:${template}`,
          runId: reminded,
          recipient: null,
          template,
          data: {},
        }),
      );
    await tell('refund_completed');
    await tell('approval_waiting');
    await until(async () => told.includes(reminded));
    expect(told).toEqual([voted, reminded]);
    await watch.close();
  });

  test('R32: after PostgreSQL was away every watcher is told to look, and later changes reach it again', async () => {
    const { door, url } = await Door.at(ledger.database.url);
    const watch = new PostgresRunWatch(url);
    const runId = await ledger.run('ch_w', 1);
    let told = 0;
    await watch.subscribe(runId, () => (told += 1));
    door.slam();
    await enters(runId, 'waiting_approval');
    await until(async () => door.attempts >= 3);
    expect(told).toBe(0);
    door.unlock();
    await until(async () => told > 0);
    const before = told;
    await enters(runId, 'completed');
    await until(async () => told > before);
    await watch.close();
    door.close();
  });

  test('a watch that could not be set up is not kept', async () => {
    const { door, url } = await Door.at(ledger.database.url);
    door.slam();
    const watch = new PostgresRunWatch(url);
    const runId = await ledger.run('ch_w', 1);
    let told = 0;
    await expect(watch.subscribe(runId, () => (told += 1))).rejects.toThrow();
    door.unlock();
    let heard = 0;
    await watch.subscribe(runId, () => (heard += 1));
    await enters(runId, 'completed');
    await until(async () => heard > 0);
    expect(told).toBe(0);
    await watch.close();
    door.close();
  });
});
