import { linesHash, proposalHash } from '../../activities/proposalHash';
import type { AdmittedLine } from '../../src/domain/refund/lines';

const usd = (minor: number) => ({ minor, currency: 'USD' });
const proposal = {
  tenant: 'acme',
  runId: 'run_1',
  id: 'apr_1',
  revision: 1,
  action: 'issue_refund',
  target: 'ch_1',
  arguments: { amount: usd(12_000), reason: 'damaged' },
} as const;
const line = (change: Partial<AdmittedLine> = {}): AdmittedLine => ({
  lineId: 'sku-1',
  quantity: 1,
  of: { quantity: 3, amount: usd(1_000) },
  amount: usd(333),
  ...change,
});

test('R33: without lines the hash is the one of v0.1, so that open approvals stay decidable', () => {
  expect(linesHash([])).toBeUndefined();
  expect(proposalHash(proposal)).toBe('3dd50bc4b460bf14a5f200865d12ba041ed88965dc00b3904bb5e15b37ec7def');
});

test('R21: with lines the hash names each of them, its units, its whole and its share', () => {
  const others: AdmittedLine[][] = [
    [],
    [line()],
    [line(), line({ lineId: 'sku-2' })],
    [line({ lineId: 'sku-2' })],
    [line({ quantity: 2 })],
    [line({ of: { quantity: 4, amount: usd(1_000) } })],
    [line({ of: { quantity: 3, amount: usd(1_001) } })],
    [line({ amount: usd(334) })],
  ];
  const hashes = others.map((lines) => {
    const hash = linesHash(lines);
    return proposalHash({ ...proposal, ...(hash === undefined ? {} : { linesHash: hash }) });
  });
  expect(new Set(hashes).size).toBe(others.length);
});
