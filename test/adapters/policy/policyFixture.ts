import { CedarAuthorization } from '../../../src/adapters/policy/cedar';
import { checkAuthority } from '../../../src/domain/approval/authority';
import type { DecisionKind } from '../../../src/domain/approval/message';
import type { ApprovalState, Authority } from '../../../src/domain/approval/state';
import { CountersignError } from '../../../src/domain/errors';
import type { Verdict } from '../../../src/domain/policy/authorization';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';

export const authorization = new CedarAuthorization();
const { document } = embeddedPolicy;

export const under = (cedar: string) => authorization.under({ cedar, document });
export const embedded = under(embeddedPolicy.cedar);

/** `permit`, or the code of the refusal. */
export function outcome(approval: ApprovalState, who: Authority, kind: DecisionKind, ask = embedded): string {
  try {
    checkAuthority(approval, who, kind, ask);
    return 'permit';
  } catch (error) {
    if (error instanceof CountersignError) return error.code;
    throw error;
  }
}

/** Everything is permitted, but for what `more` says. */
export const permitAll = (more = '') => `@id("all") permit (principal, action, resource);\n${more}`;

export const because = (verdict: Verdict): string => (verdict.allowed ? 'allowed' : verdict.because);
