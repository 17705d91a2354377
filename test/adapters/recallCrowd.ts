import { query } from '../support/database';

/** Memories about a samovar that nobody believes, as many as are ranked and more, each better than the one that is right. */
export async function crowdOut(
  adminUrl: string,
  owner: string,
  because: 'held' | 'fades_at' | 'expires_at',
): Promise<void> {
  await query(
    adminUrl,
    `set session_replication_role = replica;
       with d as (
         insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
         select $1::text || n, 'acme', $1, 'semantic', 'poison/' || n, true, '{r}', 'v', 'r', 'a', 'service'
         from generate_series(1, 250) n returning id, owner, key)
       insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id,
         valid_from, expires_at, fades_at, words, ids)
       select 'm' || id, 'acme', owner, 'semantic', key, 'A samovar, ORDER-9.', 'tool', 1, '[]', false, 1, id, now() - interval '1 hour',
         ${because === 'expires_at' ? `now() - interval '1 minute'` : 'null'},
         ${because === 'fades_at' ? `now() - interval '1 minute'` : 'null'},
         array_to_tsvector(array['samovar', 'poison']), array['order-9'] from d;
       ${
         because === 'held'
           ? `insert into memory_holds (id, memory_id, tenant, owner, hold, reason, actor, held_at)
         select 'h' || id, id, tenant, owner, 'quarantine', 'poisoned', 'admin', now() - interval '1 minute' from memories where owner = '${owner}';`
           : ''
       }`.replaceAll('$1', `'${owner}'`),
  );
}

/** 20,000 memories of four owners, without checking each foreign key, which is not what this is about. */
export async function fillFourOwners(adminUrl: string): Promise<void> {
  await query(
    adminUrl,
    `set session_replication_role = replica;
     with d as (
       insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
       select 'd' || n, 'acme', 'bulk' || n % 4, 'episodic', 'k' || n, true, '{r}', 'v', 'r', 'a', 'service'
       from generate_series(1, 20000) n returning id, owner, key)
     insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id,
       valid_from, words, ids)
     select 'm' || id, 'acme', owner, 'episodic', key, 'v', 'tool', 1, '[]', false, 1, id, now(),
       array_to_tsvector(array['common', 'word' || id, 'blue']), array['order-' || id]
     from d`,
  );
}
