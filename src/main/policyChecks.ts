import { CedarAuthorization } from '../adapters/policy/cedar';
import { reportOn, type PolicyReport } from '../application/policyReport';
import { policyCases } from '../domain/policy/cases';
import { policyDocument } from '../domain/policy/document';
import type { PolicyFolder } from './policyFolder';

/**
 * A policy checked on this machine, without an API: as the API checks it before it publishes.
 * @throws Error when what it is compared with is no valid policy itself
 */
export function checkWrittenPolicy(written: PolicyFolder, against?: PolicyFolder): PolicyReport {
  const authorization = new CedarAuthorization();
  if (!against) return reportOn(authorization, written);
  const document = policyDocument.safeParse(against.table);
  const cases = policyCases.safeParse(against.cases);
  if (!document.success || !cases.success)
    throw new Error('what it is compared with is no valid policy; check that one first');
  return reportOn(authorization, written, {
    cedar: against.cedar,
    document: document.data,
    cases: cases.data,
  });
}
