import { Database } from '../../src/adapters/postgres/database';
import { PostgresRunWatch } from '../../src/adapters/postgres/runWatch';
import { TemporalEngine } from '../../src/adapters/temporal/engine';
import { createApi } from '../../src/http/app';
import { apiParts } from '../../src/main/apiParts';
import { pagesBeside, type Doors } from '../../src/main/pages';
import { createDatabase, query, type TestDatabase } from '../support/database';
import { testTokens } from '../support/shared';
import { Visitor } from './visitor';

const here = 'http://countersign.test';

/** Pages over a database of the suite's own, in this process; no run is started here, so nothing else is needed. */
export class PagesInThisProcess {
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly plain: Doors;

  private constructor(readonly database: TestDatabase) {
    this.plain = this.doors();
  }

  static async start(): Promise<PagesInThisProcess> {
    return new PagesInThisProcess(await createDatabase());
  }

  doors(publicUrl?: string): Doors {
    const database = new Database(this.database.url, 4);
    const engine = TemporalEngine.lazily(
      { address: '127.0.0.1:1', namespace: 'none' },
      'no customer is hashed',
    );
    // Closed, it answers at once as one that is away; what is owed to it stays in the outbox.
    const closed = engine.close();
    const watch = new PostgresRunWatch(this.database.url);
    const inboxWatch = new PostgresRunWatch(this.database.url, 'countersign_inbox');
    const dependencies = {
      ...apiParts({ database, engine, stripe: { apiKey: 'none', account: 'none' } }),
      watch,
      inboxWatch,
      version: 'test',
      readiness: {},
      onUnexpected: (error: unknown) => {
        throw error;
      },
    };
    const ground = { database, publicUrl };
    const made = pagesBeside(createApi(dependencies), dependencies, ground);
    this.closing.push(() => Promise.all([inboxWatch.close(), watch.close(), closed, database.close()]));
    return made;
  }

  visitor(headers: Record<string, string> = {}, at: Doors = this.plain, url = here): Visitor {
    return new Visitor(url, { host: new URL(url).host, ...headers }, (request) => at.fetch(request));
  }

  async signedIn(who: keyof (typeof testTokens)['acme'] = 'reviewer1'): Promise<Visitor> {
    const made = this.visitor();
    const { status } = await made.post('/sign-in', {
      token: testTokens.acme[who] ?? '',
      timeZone: 'Europe/Berlin',
    });
    if (status !== 303) throw new Error(`${who} was not let in: ${status}`);
    return made;
  }

  asOwner(statement: string): Promise<Record<string, unknown>[]> {
    return query(this.database.adminUrl, statement);
  }

  async stop(): Promise<void> {
    await Promise.all(this.closing.map((close) => close()));
    await this.database.drop();
  }
}
