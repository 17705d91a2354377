import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { openDataFolder, type DataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { claimPort } from '../../../src/sandbox/embedded/freePort';
import { ensureDatabase, ensureRole, withConnection } from '../../../src/sandbox/embedded/postgresDatabases';
import {
  databaseUrl,
  preparePostgres,
  type PostgresServer,
} from '../../../src/sandbox/embedded/postgresServer';
import { Supervisor } from '../../../src/sandbox/embedded/supervisor';
import { isThere, scratchFolder } from './scratch';

describe('the embedded PostgreSQL', () => {
  const scratch = scratchFolder();
  let folder: DataFolder;
  let port: number;
  let server: PostgresServer;
  let supervisor: Supervisor;

  beforeAll(async () => {
    folder = await openDataFolder(scratch.path);
    port = await claimPort();
    server = await preparePostgres({ folder, port, env: process.env });
    supervisor = new Supervisor({ folder, baseEnv: process.env });
    await supervisor.start(server.part);
    await withConnection(server.adminUrl, async (admin) => {
      await ensureRole(admin, { name: 'countersign_app' });
      await ensureRole(admin, { name: 'countersign_owner', password: "o'wner" });
      await ensureRole(admin, { name: 'countersign', password: 'app', memberOf: ['countersign_app'] });
      await ensureRole(admin, { name: 'stranger', password: 'stranger' });
      await ensureDatabase(admin, {
        name: 'countersign',
        owner: 'countersign_owner',
        mayConnect: ['countersign'],
      });
    });
  });
  afterAll(async () => {
    await supervisor.stop();
    folder.release();
    scratch.remove();
  });

  const urlOf = (user: string, password: string) =>
    databaseUrl({ user, password, port, database: 'countersign' });

  it('runs in a folder that is closed to everybody else, also for root, and not as root', () => {
    const pid = supervisor.pids()['postgres']!;
    const uid = Number(execFileSync('ps', ['-o', 'uid=', '-p', String(pid)], { encoding: 'utf8' }));
    expect(statSync(scratch.path).mode & 0o077).toBe(0);
    expect(uid).not.toBe(0);
    expect(statSync(folder.file('postgres')).uid).toBe(uid);
    expect(statSync(folder.file('secrets.json')).mode & 0o077).toBe(0);
  });

  it('is durable, sorts alike everywhere, and listens on this machine only', async () => {
    const shown = await withConnection(server.adminUrl, async (admin) => {
      const { rows } = await admin.query(
        `select current_setting('fsync') as fsync, current_setting('listen_addresses') as listens,
                datlocprovider, datlocale, pg_encoding_to_char(encoding) as encoding
           from pg_database where datname = 'countersign'`,
      );
      return rows[0] as unknown;
    });
    expect(shown).toEqual({
      fsync: 'on',
      listens: '127.0.0.1',
      datlocprovider: 'b',
      datlocale: 'C.UTF-8',
      encoding: 'UTF8',
    });
  });

  it('gives the application a login that is no superuser and owns nothing, and lets no other login in', async () => {
    const role = await withConnection(urlOf('countersign', 'app'), async (app) => {
      const { rows } = await app.query(
        `select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls,
                pg_has_role('countersign_app', 'member') as member,
                (select count(*)::int from pg_database where datdba = pg_roles.oid) as owned
           from pg_roles where rolname = current_user`,
      );
      await expect(app.query('create table mine (id int)')).rejects.toMatchObject({ code: '42501' });
      return rows[0] as unknown;
    });
    expect(role).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolbypassrls: false,
      member: true,
      owned: 0,
    });
    await expect(withConnection(urlOf('stranger', 'stranger'), async () => undefined)).rejects.toThrow(
      'permission denied for database',
    );
    await expect(withConnection(urlOf('countersign', 'wrong'), async () => undefined)).rejects.toThrow(
      'password authentication failed',
    );
  });

  it('R32: what was committed survives SIGKILL of PostgreSQL, which comes back on the same port', async () => {
    await withConnection(urlOf('countersign_owner', "o'wner"), async (owner) => {
      await owner.query('create table refunds (id text)');
      await owner.query("insert into refunds values ('committed')");
    });
    const killed = supervisor.pids()['postgres']!;
    const restarted = once(supervisor, 'restarted');
    process.kill(killed, 'SIGKILL');
    await restarted;
    const kept = await withConnection(urlOf('countersign_owner', "o'wner"), async (owner) => {
      const { rows } = await owner.query('select id from refunds');
      return rows as unknown;
    });
    expect(kept).toEqual([{ id: 'committed' }]);
    expect(supervisor.pids()['postgres']).not.toBe(killed);
  });

  it('starts again when its pid file names a process that has nothing to do with it', async () => {
    await supervisor.stop();
    writeFileSync(
      folder.file('postgres', 'postmaster.pid'),
      `${process.pid}\n/elsewhere\n1\n${port}\n\n127.0.0.1\n`,
    );
    const second = await preparePostgres({ folder, port, env: process.env });
    supervisor = new Supervisor({ folder, baseEnv: process.env });
    await supervisor.start(second.part);
    const { rowCount } = await withConnection(second.adminUrl, (admin) => admin.query('select 1'));
    expect(rowCount).toBe(1);
  });

  it('leaves no process behind when stopped', async () => {
    const pid = supervisor.pids()['postgres']!;
    await supervisor.stop();
    expect(isThere(pid)).toBe(false);
  });
});
