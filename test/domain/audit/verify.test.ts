import { createHash } from 'node:crypto';
import { contentOf, headsText, noHash, type Anchor, type ChainedRow } from '../../../src/domain/audit/chain';
import { AuditVerifier, type PresentedAnchor } from '../../../src/domain/audit/verify';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function chainOf(runId: string, length: number): ChainedRow[] {
  const rows: ChainedRow[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const draft = {
      ...{
        tenant: 'acme',
        runId,
        seq,
        epoch: `1796000000.00000${seq}`,
        actor: 'a',
        event: 'e',
        step: `s${seq}`,
      },
      ...{ before: null, after: { amount: seq }, reason: null, policyVersion: 'v1', effectKey: null },
      ...{ providerId: null, prevHash: rows.at(-1)?.hash ?? noHash, hash: '' },
    };
    rows.push({ ...draft, hash: sha256(contentOf(draft)) });
  }
  return rows;
}

function anchorOf(seq: number, rows: readonly ChainedRow[], before?: PresentedAnchor): PresentedAnchor {
  const heads = rows.map(({ runId, seq: row, hash }) => ({ runId, seq: row, hash }));
  const previous = before ? sha256(before.jws) : noHash;
  const at = '2026-11-29T12:00:00.000Z';
  const headsHash = sha256(headsText(heads));
  const anchor: Anchor = { tenant: 'acme', seq, at, heads: heads.length, headsHash, previous };
  return { seq, anchor, jws: `signed ${JSON.stringify(anchor)}`, heads };
}

const [first, second] = [chainOf('run_a', 4), chainOf('run_b', 3)];
const rows = [...first, ...second];
const anchorA = anchorOf(1, [first[2], second[2]] as ChainedRow[]);
const anchorB = anchorOf(2, [first[3]] as ChainedRow[], anchorA);

function findings(anchors: readonly PresentedAnchor[], log: readonly ChainedRow[]): string[] {
  const verifier = new AuditVerifier(sha256);
  for (const anchor of anchors) verifier.takeAnchor(anchor);
  for (const row of log) verifier.takeRow(row);
  return verifier.finish().map(({ kind, where, seq }) => `${kind} ${where} ${seq}`);
}

describe('verifying the audit log', () => {
  test('R37: an untouched log has no findings', () => {
    expect(findings([anchorA, anchorB], rows)).toEqual([]);
  });

  test('R37: a changed row is found, also when its own hash was made to fit', () => {
    const changed = { ...(first[1] as ChainedRow), actor: 'forger' };
    const at = (row: ChainedRow) => rows.map((r) => (r === first[1] ? row : r));
    expect(findings([], at(changed))).toEqual(['changed run_a 2']);
    const fitted = { ...changed, hash: sha256(contentOf(changed)) };
    expect(findings([], at(fitted))).toEqual(['unlinked run_a 3']);
  });

  test('R37: a history rewritten to its end is found by the anchor', () => {
    const rewritten = chainOf('run_b', 3).map((row) => ({ ...row, actor: 'forger' }));
    let prevHash = noHash;
    const forged = rewritten.map((row) => {
      const linked = { ...row, prevHash };
      prevHash = sha256(contentOf(linked));
      return { ...linked, hash: prevHash };
    });
    expect(findings([], [...first, ...forged])).toEqual([]);
    expect(findings([anchorA, anchorB], [...first, ...forged])).toEqual(['changed run_b 3']);
  });

  test('R37: rows that are missing, moved, doubled or cut off are found', () => {
    const without = (seq: number) => rows.filter((row) => row !== first[seq - 1]);
    expect(findings([anchorA, anchorB], without(2))).toEqual(['gap run_a 3']);
    const swapped = [first[1], first[0], ...first.slice(2), ...second] as ChainedRow[];
    expect(findings([anchorA, anchorB], swapped)).not.toEqual([]);
    expect(findings([], [first[0], first[0], ...first.slice(1)] as ChainedRow[])).not.toEqual([]);
    expect(findings([anchorA, anchorB], without(4))).toEqual(['tail_cut run_a 4']);
    expect(findings([anchorA, anchorB], first)).toEqual(['tail_cut run_b 3']);
    // Without an anchor nothing says that there was more.
    expect(findings([], without(4))).toEqual([]);
  });

  test('R37: anchors that are missing, changed or not signed are found', () => {
    expect(findings([anchorB], rows)).toEqual(['anchor_missing anchor 2 2']);
    const other = { ...anchorA, jws: 'signed by somebody else', anchor: undefined };
    expect(findings([other, anchorB], rows)).toEqual([
      'signature_invalid anchor 1 1',
      'anchor_changed anchor 2 2',
    ]);
    const lighter = { ...anchorA, heads: anchorA.heads.slice(1) };
    expect(findings([lighter, anchorB], rows)).toEqual(['anchor_changed anchor 1 1']);
  });

  test('R37: of one run alone, with the anchors that name it, a change and a cut tail are found too', () => {
    const alone = (anchors: readonly PresentedAnchor[], log: readonly ChainedRow[]) => {
      const verifier = new AuditVerifier(sha256, 'run_a');
      for (const anchor of anchors) verifier.takeAnchor(anchor);
      for (const row of log) verifier.takeRow(row);
      return verifier.finish().map(({ kind, where, seq }) => `${kind} ${where} ${seq}`);
    };
    expect(alone([anchorA, anchorB], first)).toEqual([]);
    expect(alone([anchorB], first)).toEqual([]);
    expect(alone([anchorB], first.slice(0, 3))).toEqual(['tail_cut run_a 4']);
    expect(alone([{ ...anchorB, heads: anchorA.heads }], first)).toContain('anchor_changed anchor 2 2');
    expect(alone([anchorB], first.slice(1))).toContain('gap run_a 2');
    expect(findings([anchorB], first)).toContain('anchor_missing anchor 2 2');
  });
});
