import { sql } from 'kysely';
import type { Brake, BrakeMove, Brakes } from '../../ports/brakes';
import type { Transaction } from './database';

export class PostgresBrakes implements Brakes {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async engaged(): Promise<Brake | undefined> {
    const { rows } = await sql<{ scope: string; engaged: boolean; reason: string; actor: string; at: Date }>`
      select distinct on (scope) scope, engaged, reason, actor, at from brakes
      where scope in ('*', ${this.tenant}) order by scope, id desc
    `.execute(this.trx);
    const row = rows.find(({ engaged }) => engaged);
    return row && { scope: row.scope, reason: row.reason, actor: row.actor, at: row.at.getTime() };
  }

  async move(engaged: boolean, reason: string, actor: string): Promise<void> {
    await this.trx.insertInto('brakes').values({ scope: this.tenant, engaged, reason, actor }).execute();
  }

  async history(limit: number): Promise<BrakeMove[]> {
    const rows = await this.trx.selectFrom('brakes').selectAll().orderBy('id', 'desc').limit(limit).execute();
    return rows.map(({ at, scope, engaged, reason, actor }) => ({
      scope,
      engaged,
      reason,
      actor,
      at: at.getTime(),
    }));
  }
}
