import type { TemporalSettings } from '../../adapters/temporal/connection';
import { historyToJson } from '../../adapters/temporal/historyJson';
import { CountersignError, type Countersign } from '../../client';
import { runKindOf, runWorkflowId } from '../../domain/contract';
import type { AuditLine } from '../audit/auditFile';
import { packArchive, type ArchiveManifest } from './archive';
import { decodeHistories, type StoredExecution } from './decodeHistories';
import { withExecutions } from './withExecutions';

export interface ExportedRun {
  readonly content: Uint8Array;
  readonly executions: number;
  readonly events: number;
  readonly rows: number;
  /** Payloads that stayed ciphertext. */
  readonly sealed: number;
}

/**
 * One run as an archive: the histories that Temporal still has, the audit rows with what proves them, and the refund,
 * batch or agent run as the API shows it. Of a batch, the run of each row is an archive of its own. Asked for by an administrator or auditor, whose credential
 * says of which tenant it is (R38). The same run that has not moved gives the same bytes.
 * @param decode has encrypted payloads opened by the API, for an administrator; without it they stay ciphertext
 * @throws CountersignError not_found; forbidden; dependency_unavailable
 */
export async function exportRun(
  api: Countersign,
  temporal: TemporalSettings,
  runId: string,
  decode: boolean,
): Promise<ExportedRun> {
  const { tenant } = await api.self.show();
  const shown = await shownBy(api, runId);
  const audit = await auditLines(api, runId);
  const texts = new Map<string, string>([
    ['audit.jsonl', audit.lines.map((line) => `${JSON.stringify(line)}\n`).join('')],
    ...shown,
  ]);
  const stored = await storedHistories(temporal, runWorkflowId(tenant, runId));
  const { histories, sealed } = await decodeHistories(decode ? api : undefined, stored);
  const listed: ArchiveManifest['histories'] = [];
  for (const [index, { workflowId, runId: execution, history }] of histories.entries()) {
    const file = `histories/${String(index + 1).padStart(3, '0')}.json`;
    texts.set(file, pretty(history));
    listed.push({ file, workflowId, runId: execution });
  }
  const payloads = decode ? 'decoded' : 'as_stored';
  return {
    content: packArchive({ tenant, runId, payloads, histories: listed }, texts),
    executions: histories.length,
    events: histories.reduce((sum, { history }) => sum + history.events.length, 0),
    rows: audit.rows,
    sealed,
  };
}

/** What the API shows of it, by the names of files. @throws CountersignError not_found, forbidden */
async function shownBy(api: Countersign, runId: string): Promise<[string, string][]> {
  switch (runKindOf(runId)) {
    case 'agent':
      return [['agent-run.json', pretty(await api.runs.show(runId))]];
    case 'batch': {
      const batch = await api.batches.show(runId);
      let items = '';
      for await (const item of api.batches.allItems(runId, { limit: 200 }))
        items += `${JSON.stringify(item)}\n`;
      return [['batch.json', pretty(batch)], ['items.jsonl', items], ...(await approvalOf(api, batch))];
    }
    case 'refund': {
      const refund = await api.refunds.show(runId);
      return [
        ['refund.json', pretty(refund)],
        ['states.json', pretty(await api.refunds.states(runId))],
        ...(await approvalOf(api, refund)),
      ];
    }
  }
}

async function approvalOf(
  api: Countersign,
  { approval }: { readonly approval: { readonly id: string } | null },
): Promise<[string, string][]> {
  return approval ? [['approval.json', pretty(await api.approvals.show(approval.id))]] : [];
}

/** The run's own chain, every anchor that names it, and the keys that anchors are signed by. */
async function auditLines({ audit }: Countersign, runId: string) {
  const rows: AuditLine[] = [];
  for await (const row of audit.searchAll({ run: runId, limit: 200 })) rows.unshift({ kind: 'row', ...row });
  const anchors: AuditLine[] = [];
  for await (const anchor of audit.anchors())
    if (anchor.heads.some((head) => head.runId === runId)) anchors.push({ kind: 'anchor', ...anchor });
  const keys = (await audit.keys()).map((key): AuditLine => ({ kind: 'key', ...key }));
  return { lines: [...keys, ...anchors, ...rows], rows: rows.length };
}

async function storedHistories(temporal: TemporalSettings, workflowId: string): Promise<StoredExecution[]> {
  const found = await withExecutions(temporal, async (executions) => {
    const all: StoredExecution[] = [];
    for await (const { history, ...execution } of executions.of(workflowId))
      all.push({ ...execution, history: historyToJson(history) });
    return all;
  });
  if (found.length > 0) return found;
  throw new CountersignError(
    'not_found',
    'Temporal has no history of this run any more, or is not the one that ran it; check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE',
  );
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
