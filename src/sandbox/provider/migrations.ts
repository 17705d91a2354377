import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** In order of their names; never edit one that was released, add another. */
export const migrations: Record<string, Migration> = {
  '001_payments': {
    async up(db: Kysely<never>) {
      await sql`
        create table charges (
          seq bigint generated always as identity,
          id text primary key,
          payment_intent text not null unique,
          account text not null,
          amount bigint not null check (amount > 0),
          amount_captured bigint not null check (amount_captured between 0 and amount),
          amount_refunded bigint not null check (amount_refunded between 0 and amount_captured),
          amount_disputed bigint not null check (amount_disputed between 0 and amount_captured),
          ever_disputed boolean not null default false,
          currency text not null,
          captured boolean not null,
          manual_capture boolean not null,
          voided boolean not null default false,
          customer text,
          description text,
          metadata json not null,
          created bigint not null,
          check (not (captured and voided))
        )`.execute(db);
      await sql`create index charges_newest on charges (account, created desc, seq desc)`.execute(db);
      await sql`
        create table refunds (
          seq bigint generated always as identity,
          id text primary key,
          account text not null,
          charge text not null references charges (id),
          payment_intent text not null,
          amount bigint not null check (amount > 0),
          currency text not null,
          reason text,
          status text not null,
          pending_reason text,
          failure_reason text,
          metadata json not null,
          created bigint not null,
          due_status text,
          due_ms bigint
        )`.execute(db);
      await sql`create index refunds_newest on refunds (account, created desc, seq desc)`.execute(db);
      await sql`create index refunds_of_charge on refunds (charge, created desc, seq desc)`.execute(db);
      await sql`create index refunds_due on refunds (due_ms) where due_ms is not null`.execute(db);
      await sql`
        create table disputes (
          seq bigint generated always as identity,
          id text primary key,
          account text not null,
          charge text not null references charges (id),
          payment_intent text not null,
          amount bigint not null check (amount > 0),
          currency text not null,
          reason text not null,
          status text not null,
          created bigint not null
        )`.execute(db);
      await sql`create index disputes_of_charge on disputes (charge)`.execute(db);
    },
  },
  '002_requests': {
    async up(db: Kysely<never>) {
      await sql`
        create table idempotency_keys (
          account text not null,
          key text not null,
          fingerprint text not null,
          request_id text not null,
          status integer not null,
          body text not null,
          created_ms bigint not null,
          primary key (account, key)
        )`.execute(db);
      await sql`
        create table requests (
          seq bigint generated always as identity primary key,
          id text not null,
          account text,
          method text not null,
          path text not null,
          idempotency_key text,
          payment text,
          status integer,
          answered boolean not null,
          replayed boolean not null,
          faults text[] not null,
          at_ms bigint not null
        )`.execute(db);
      await sql`create index requests_of_key on requests (idempotency_key) where idempotency_key is not null`.execute(
        db,
      );
      await sql`
        create table faults (
          id bigint generated always as identity primary key,
          kind text not null,
          method text,
          path text,
          idempotency_key text,
          payment text,
          event text,
          remaining integer check (remaining >= 0),
          probability double precision check (probability between 0 and 1),
          seed text,
          settings json not null,
          considered bigint not null default 0,
          hits bigint not null default 0,
          created_ms bigint not null
        )`.execute(db);
    },
  },
  '003_events': {
    async up(db: Kysely<never>) {
      await sql`
        create table events (
          seq bigint generated always as identity,
          id text primary key,
          account text not null,
          type text not null,
          object_id text not null,
          data json not null,
          request_id text,
          idempotency_key text,
          created bigint not null
        )`.execute(db);
      await sql`create index events_newest on events (account, created desc, seq desc)`.execute(db);
      await sql`
        create table webhook_endpoints (
          seq bigint generated always as identity,
          id text primary key,
          account text not null,
          url text not null,
          secret text not null,
          enabled_events text[] not null,
          enabled boolean not null,
          description text,
          metadata json not null,
          created bigint not null
        )`.execute(db);
      await sql`
        create table webhook_deliveries (
          id bigint generated always as identity primary key,
          event text not null references events (id),
          endpoint text not null references webhook_endpoints (id) on delete cascade,
          status text not null,
          held boolean not null,
          attempts integer not null default 0,
          due_ms bigint not null,
          last_result text
        )`.execute(db);
      await sql`create index webhook_deliveries_due on webhook_deliveries (due_ms) where status = 'waiting'`.execute(
        db,
      );
    },
  },
  '004_request_parameters': {
    async up(db: Kysely<never>) {
      await sql`alter table requests add column parameters json not null default '{}'`.execute(db);
    },
  },
};
