import { randomUUID } from 'node:crypto';
import { decide } from '../../application/decide';
import type { UseCases } from '../../application/dependencies';
import { showApproval } from '../../application/readInbox';
import { requestRefund } from '../../application/requestRefund';
import { approvalIdOf, refundWorkflowId } from '../../domain/contract';
import { CountersignError } from '../../domain/errors';
import type { Principal } from '../../ports/people';
import type { RunWatch } from '../../ports/watch';
import { refundAmount } from './provider';
import type { Subject } from './subject';

export interface Identity {
  readonly principal: Principal;
  readonly token: string;
}

/** What both ways into Countersign need. */
export interface CountersignAccess {
  readonly useCases: UseCases;
  readonly watch: RunWatch;
  readonly apiUrl: string;
  readonly requester: Identity;
  readonly reviewer: Identity;
}

interface Door {
  /** @returns the run's id */
  request(charge: string): Promise<string>;
  /** The hash of the proposal to decide on; undefined as long as there is no approval. */
  proposalHash(approvalId: string): Promise<string | undefined>;
  approve(approvalId: string, proposalHash: string): Promise<void>;
}

/** Countersign by its use cases, called in this process as the API's process calls them. */
export function useCaseSubject(access: CountersignAccess): Subject {
  const { useCases, requester, reviewer } = access;
  return subjectOf('countersign', access, {
    request: async (charge) => {
      const run = await requestRefund(useCases, requester.principal, randomUUID(), bodyOf(charge));
      return run.runId;
    },
    proposalHash: async (approvalId) => {
      try {
        return (await showApproval(useCases, reviewer.principal, approvalId)).proposalHash;
      } catch (error) {
        if (error instanceof CountersignError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
    approve: async (approvalId, proposalHash) => {
      await decide(useCases, reviewer.principal, approvalId, { decision: 'approve', proposalHash }, 'bench');
    },
  });
}

/** Countersign by its HTTP API, in a process of its own. */
export function httpSubject(access: CountersignAccess): Subject {
  const { apiUrl, requester, reviewer } = access;
  return subjectOf('countersignHttp', access, {
    request: async (charge) => {
      const { runId } = (await answered(
        await fetch(`${apiUrl}/v1/refunds`, {
          method: 'POST',
          headers: { ...headersOf(requester), 'idempotency-key': randomUUID() },
          body: JSON.stringify(bodyOf(charge)),
        }),
      )) as { runId: string };
      return runId;
    },
    proposalHash: async (approvalId) => {
      const response = await fetch(`${apiUrl}/v1/approvals/${approvalId}`, { headers: headersOf(reviewer) });
      if (response.status === 404) {
        await response.text();
        return undefined;
      }
      return ((await answered(response)) as { proposalHash: string }).proposalHash;
    },
    approve: async (approvalId, proposalHash) => {
      await answered(
        await fetch(`${apiUrl}/v1/approvals/${approvalId}/decisions`, {
          method: 'POST',
          headers: headersOf(reviewer),
          body: JSON.stringify({ decision: 'approve', proposalHash }),
        }),
      );
    },
  });
}

function subjectOf(
  name: 'countersign' | 'countersignHttp',
  { requester, watch }: CountersignAccess,
  door: Door,
): Subject {
  return {
    name,
    workedBy: 'countersign',
    start: async (charge) => {
      const runId = await door.request(charge);
      const approvalId = approvalIdOf(runId);
      let hash: string | undefined;
      return {
        workflowId: refundWorkflowId(requester.principal.tenant, runId),
        waits: async () => {
          hash = await untilPublished(watch, runId, () => door.proposalHash(approvalId));
        },
        approve: async () => {
          if (hash === undefined) throw new Error('nothing can be approved before it waits');
          await door.approve(approvalId, hash);
        },
      };
    },
  };
}

/** Looks when the run changes, and once after the watch began: what happened before it is not told. */
async function untilPublished(
  watch: RunWatch,
  runId: string,
  look: () => Promise<string | undefined>,
): Promise<string> {
  let changed: () => void = () => undefined;
  let next = new Promise<void>((resolve) => (changed = resolve));
  const unsubscribe = await watch.subscribe(runId, () => changed());
  try {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await next;
      next = new Promise<void>((resolve) => (changed = resolve));
    }
  } finally {
    unsubscribe();
  }
}

function bodyOf(charge: string) {
  return { paymentId: charge, amount: refundAmount, reason: 'damaged' } as const;
}

function headersOf({ token }: Identity): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

async function answered(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`the API answered ${response.status}: ${await response.text()}`);
  return response.json();
}
