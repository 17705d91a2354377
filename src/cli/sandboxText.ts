import type { FaultKind, FaultSettings } from '../sandbox/provider/faultKinds';
import { table } from './terminal/table';
import { clock } from './terminal/time';

/** As the sandbox provider shows it. */
export interface Fault extends FaultSettings {
  readonly id: number;
  readonly kind: FaultKind;
  readonly match: Readonly<Record<string, string | null>>;
  /** Calls left; null where there is no limit. */
  readonly times: number | null;
  readonly active: boolean;
  readonly probability: number | null;
  readonly seed: string | null;
  readonly considered: number;
  readonly hits: number;
}

/** One line of the sandbox provider's request log. */
export interface LoggedRequest {
  readonly seq: number;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly payment: string | null;
  readonly status: number | null;
  readonly answered: boolean;
  readonly replayed: boolean;
  readonly faults: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export interface RequestLog {
  readonly counts: Readonly<Record<'total' | 'succeeded' | 'replayed' | 'refused' | 'cut' | 'keys', number>>;
  readonly items: readonly LoggedRequest[];
}

export function faultText(fault: Fault): string {
  return `fault ${fault.id}: ${fault.kind} on ${frequency(fault)} ${subject(fault)}

Take it back: countersign sandbox fault clear ${fault.id}
`;
}

export function faultsText(faults: readonly Fault[]): string {
  if (faults.length === 0) return 'No faults: the sandbox provider behaves.\n';
  return table(faults, [
    { title: 'ID', of: ({ id }) => String(id) },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'ON', of: (fault) => subject(fault) },
    {
      title: 'LEFT',
      of: ({ times }) => (times === null ? 'no limit' : times === 0 ? 'used up' : String(times)),
    },
    {
      title: 'CHANCE',
      of: ({ probability }) => (probability === null ? '' : String(probability)),
      optional: true,
    },
    { title: 'SEED', of: ({ seed }) => seed ?? '', optional: true },
    { title: 'HIT', of: ({ hits, considered }) => `${hits} of ${considered}` },
    { title: 'HOW', of: (fault) => settings(fault), optional: true },
  ]);
}

export function logText({ counts, items }: RequestLog): string {
  const head = `${counts.total} requests: ${counts.succeeded} succeeded, ${counts.replayed} replayed, ${counts.refused} refused, ${counts.cut} cut without an answer; ${counts.keys} idempotency keys\n`;
  if (items.length === 0) return head;
  return `${head}\n${table(items, [
    { title: 'SEQ', of: ({ seq }) => String(seq) },
    { title: 'TIME', of: ({ atMs }) => clock(new Date(atMs).toISOString()) },
    { title: 'CALL', of: ({ method, path }) => `${method} ${path}` },
    { title: 'STATUS', of: outcome },
    { title: 'FAULTS', of: ({ faults }) => faults.join(', '), optional: true },
    { title: 'KEY', of: ({ idempotencyKey }) => idempotencyKey ?? '', optional: true },
    { title: 'PAYMENT', of: ({ payment }) => payment ?? '', optional: true },
  ])}`;
}

function outcome({ status, answered, replayed }: LoggedRequest): string {
  const code = status === null ? 'not looked at' : String(status);
  return `${code}${replayed ? ' replayed' : ''}${answered ? '' : ', cut'}`;
}

function frequency({ times, probability }: Fault): string {
  if (probability !== null) return `${probability} of`;
  return times === null ? 'every one of' : times === 1 ? 'the next of' : `the next ${times} of`;
}

function subject({ kind, match }: Fault): string {
  const all = kind.startsWith('webhook') ? 'all events' : 'all calls';
  const { method, path, ...others } = match;
  const call = [method, path].filter((part) => part !== null && part !== undefined).join(' ');
  const named = Object.entries(others).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${value}`],
  );
  return [call, ...named].filter((part) => part !== '').join(', ') || all;
}

function settings({ ms, retryAfterSeconds, code, afterEffect, as, afterMs, failureReason }: Fault): string {
  return [
    ms === undefined ? '' : `${ms} ms`,
    retryAfterSeconds === undefined ? '' : `Retry-After ${retryAfterSeconds}`,
    code ?? '',
    afterEffect ? 'after the effect' : '',
    as === undefined ? '' : `as ${as}`,
    afterMs === undefined ? '' : `after ${afterMs} ms`,
    failureReason ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
