import type {
  HeldSource,
  Memory,
  MemoryCandidate,
  MemoryDecision,
  MemoryHold,
  MemoryVersion,
  SourceHoldReport,
} from '../client';
import { table, when } from './terminal/table';
import { fields } from './terminal/text';
import { age, moment } from './terminal/time';

export function memoryTable(items: readonly Memory[]): string {
  if (items.length === 0) return 'Nothing is remembered.\n';
  return table(items, [
    { title: 'MEMORY', of: ({ id }) => id },
    { title: 'KEY', of: ({ key }) => key },
    { title: 'VALUE', of: ({ value }) => value, cut: true },
    { title: 'SOURCE', of: ({ source }) => source },
    { title: 'CONFIDENCE', of: ({ confidenceNow }) => confidenceNow.toFixed(2), optional: true },
    { title: 'KIND', of: ({ kind }) => kind, optional: true },
    { title: 'VERSION', of: ({ version }) => String(version), optional: true },
    { title: 'SINCE', of: ({ validFrom }) => age(validFrom), optional: true },
  ]);
}

export function memoryPage(memory: Memory): string {
  const { key, kind, source, confidenceNow, personal, evidence, version, decisionId } = memory;
  return `${memory.id}\n${fields([
    ['key', `${key} (${kind})`],
    ['value', memory.value],
    ['from', `${source}, confidence ${confidenceNow.toFixed(2)}${personal ? ', personal' : ''}`],
    ['pinned', memory.pinned ? 'yes, contexts show it first' : null],
    ['learnt from', evidence.map((item) => `${item.kind}:${item.ref}`).join(', ')],
    ['since', moment(memory.validFrom)],
    ['until', memory.expiresAt && moment(memory.expiresAt)],
    ['to be confirmed', memory.fadesAt && moment(memory.fadesAt)],
    ['version', String(version)],
    ['decision', decisionId],
  ])}`;
}

export function versionTable(items: readonly MemoryVersion[]): string {
  return table(items, [
    { title: 'VERSION', of: ({ version }) => String(version) },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'VALUE', of: ({ value }) => value, cut: true },
    { title: 'SOURCE', of: ({ source }) => source },
    when('SINCE', ({ validFrom }) => validFrom),
    { title: 'BY', of: ({ decision }) => decision.actor, optional: true },
    { title: 'WHY', of: ({ decision }) => decision.ruleIds.join(', '), optional: true },
    { title: 'MEMORY', of: ({ id }) => id, optional: true },
    { title: 'REPLACED BY', of: ({ supersededBy }) => supersededBy ?? '', optional: true },
  ]);
}

/** What came of a proposal. */
export function decided({ memoryId, candidateId, ruleIds }: MemoryDecision): string {
  if (memoryId !== null) return `Remembered as ${memoryId} (${ruleIds.join(', ')}).\n`;
  return `An administrator has to decide on ${candidateId ?? 'it'} first (${ruleIds.join(', ')}).\n`;
}

export function candidateTable(items: readonly MemoryCandidate[]): string {
  if (items.length === 0) return 'Nothing waits for a decision.\n';
  return table(items, [
    { title: 'CANDIDATE', of: ({ id }) => id },
    { title: 'OWNER', of: ({ owner }) => owner },
    { title: 'KEY', of: ({ key }) => key },
    { title: 'VALUE', of: ({ value, status }) => value ?? `(${status})`, cut: true },
    { title: 'PROPOSED BY', of: ({ proposedBy, proposedByKind }) => `${proposedBy} (${proposedByKind})` },
    { title: 'DEADLINE', of: ({ deadline }) => age(deadline), optional: true },
  ]);
}

export function candidatePage(candidate: MemoryCandidate): string {
  const { id, key, kind, value, owner, status, proposalHash, evidence, decidedBy } = candidate;
  const page = `${id}\n${fields([
    ['status', decidedBy === null ? status : `${status}, by ${decidedBy}`],
    ['owner', owner],
    ['key', `${key} (${kind})`],
    ['value', value],
    ['from', `${candidate.source}, confidence ${candidate.confidence}`],
    ['learnt from', evidence.map((item) => `${item.kind}:${item.ref}`).join(', ')],
    ['proposed by', `${candidate.proposedBy} (${candidate.proposedByKind}), ${moment(candidate.createdAt)}`],
    ['on behalf of', candidate.proposedFor],
    ['waits because of', candidate.ruleIds.join(', ')],
    ['deadline', moment(candidate.deadline)],
    ['comment', candidate.comment],
    ['memory', candidate.memoryId],
    ['hash', proposalHash],
  ])}`;
  if (status !== 'waiting') return page;
  if (candidate.approvalId !== null)
    return `${page}\nAn administrator decides: countersign approvals show ${candidate.approvalId}\n`;
  return `${page}\nAn administrator decides: countersign memory approve ${id} --hash ${proposalHash}\n                      or: countersign memory reject ${id} --hash ${proposalHash}\n`;
}

export function heldTables(holds: readonly MemoryHold[], sources: readonly HeldSource[]): string {
  const nothing = holds.length === 0 && sources.length === 0;
  if (nothing) return 'Nothing is held.\n';
  const sourceText = table(sources, [
    { title: 'SOURCE', of: ({ source }) => `${source.kind}:${source.ref}` },
    { title: 'HOLD', of: ({ hold }) => hold },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'BY', of: ({ actor }) => actor },
    { title: 'SINCE', of: ({ heldAt }) => age(heldAt) },
    { title: 'COMMENT', of: ({ comment }) => comment ?? '', cut: true, optional: true },
  ]);
  const holdText = table(holds, [
    { title: 'MEMORY', of: ({ memoryId }) => memoryId },
    { title: 'OWNER', of: ({ owner }) => owner },
    { title: 'HOLD', of: ({ hold }) => hold },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'BY', of: ({ actor }) => actor },
    { title: 'SINCE', of: ({ heldAt }) => age(heldAt) },
    { title: 'BECAUSE OF', of: ({ sourceId }) => sourceId ?? '', optional: true },
  ]);
  return `${sources.length === 0 ? '' : `${sourceText}\n`}${holds.length === 0 ? '' : holdText}`;
}

export function reported({ source, hold, versions, owners, live, candidates }: SourceHoldReport): string {
  const what = hold === 'revocation' ? 'revoked' : 'in quarantine';
  const waiting = candidates === 0 ? '' : `; ${candidates} waiting candidates are revoked too`;
  return `Everything learnt from ${source.kind}:${source.ref} is ${what}: ${versions} versions of ${owners} owners, ${live} of them in force until now${waiting}.\n`;
}
