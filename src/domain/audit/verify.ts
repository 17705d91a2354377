import {
  contentOf,
  headsText,
  noHash,
  type Anchor,
  type ChainedRow,
  type Finding,
  type Head,
  type Sha256,
} from './chain';

/** An anchor as its signature gave it; `undefined` where the signature does not hold. */
export interface PresentedAnchor {
  readonly seq: number;
  readonly anchor: Anchor | undefined;
  /** The signed text itself. */
  readonly jws: string;
  readonly heads: readonly Head[];
}

/**
 * Checks a tenant's whole log, fed in order: first every anchor, then every row by run and number. Finds any row that
 * was changed, put in, left out or moved, and any tail that was cut after an anchor was set (R37).
 */
export class AuditVerifier {
  readonly findings: Finding[] = [];
  rows = 0;
  runs = 0;
  anchors = 0;
  private previousAnchor = noHash;
  private last: ChainedRow | undefined;
  private readonly anchored = new Map<string, Map<number, string>>();

  /** @param onlyRun where what is fed is one run and the anchors that name it, which need not follow on each other */
  constructor(
    private readonly sha256: Sha256,
    private readonly onlyRun?: string,
  ) {}

  takeAnchor(presented: PresentedAnchor): void {
    this.checkAnchor(presented);
    this.expect(presented.heads);
  }

  /** Whether it is signed, lists what was signed, and follows on the anchor before; what it lists is not kept. */
  checkAnchor({ seq, anchor, jws, heads }: PresentedAnchor): void {
    const where = `anchor ${seq}`;
    this.anchors += 1;
    if (this.onlyRun === undefined) this.compareWithAnchorBefore(where, seq, anchor);
    if (!anchor) this.found('signature_invalid', where, seq, 'no registered key has signed it so');
    else if (anchor.seq !== seq || anchor.headsHash !== this.sha256(headsText(heads)))
      this.found('anchor_changed', where, seq, 'it does not list what was signed');
    this.previousAnchor = this.sha256(jws);
  }

  /** These rows are anchored, and are still to come. */
  expect(heads: readonly Head[]): void {
    for (const head of heads) {
      if (this.onlyRun !== undefined && head.runId !== this.onlyRun) continue;
      const ofRun = this.anchored.get(head.runId) ?? new Map<number, string>();
      this.anchored.set(head.runId, ofRun.set(head.seq, head.hash));
    }
  }

  takeRow(row: ChainedRow): void {
    const { runId, seq } = row;
    const before = this.last?.runId === runId ? this.last : undefined;
    this.rows += 1;
    if (!before) this.runs += 1;
    const expected = (before?.seq ?? 0) + 1;
    if (seq !== expected) this.found('gap', runId, seq, `row ${expected} should stand here`);
    else if (row.prevHash !== (before?.hash ?? noHash))
      this.found('unlinked', runId, seq, 'it does not follow on the row before');
    if (row.hash !== this.sha256(contentOf(row)))
      this.found('changed', runId, seq, 'its content is not what was hashed');
    this.compareWithAnchor(row);
    this.last = row;
  }

  /** After the last row, or after all that were expected so far: what did not come has been cut off. */
  finish(): readonly Finding[] {
    for (const [runId, heads] of this.anchored)
      for (const seq of heads.keys())
        this.found('tail_cut', runId, seq, 'an anchor names this row, and it is not there');
    this.anchored.clear();
    return this.findings;
  }

  private compareWithAnchorBefore(where: string, seq: number, anchor: Anchor | undefined): void {
    if (seq !== this.anchors) {
      this.found('anchor_missing', where, seq, `anchor ${this.anchors} should stand here`);
      this.anchors = seq;
    } else if (anchor && anchor.previous !== this.previousAnchor)
      this.found('anchor_changed', where, seq, 'it does not follow on the anchor before');
  }

  private compareWithAnchor({ runId, seq, hash }: ChainedRow): void {
    const heads = this.anchored.get(runId);
    const anchored = heads?.get(seq);
    if (heads === undefined || anchored === undefined) return;
    if (anchored !== hash) this.found('changed', runId, seq, 'an anchor names another row here');
    heads.delete(seq);
    if (heads.size === 0) this.anchored.delete(runId);
  }

  private found(kind: Finding['kind'], where: string, seq: number, detail: string): void {
    this.findings.push({ kind, where, seq, detail });
  }
}
