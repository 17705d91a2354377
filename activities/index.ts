import { admitBatchItems } from './admitBatchItems';
import { adoptMemory } from './adoptMemory';
import { applyReview } from './applyReview';
import { applyDecision } from './applyDecision';
import { archiveRun } from './archiveRun';
import { authorizeExecution } from './authorizeExecution';
import { cancelUnsent } from './cancelUnsent';
import { confirmCancel } from './confirmCancel';
import { checkRefund } from './checkRefund';
import { checkBatch } from './checkBatch';
import { closeBatch } from './closeBatch';
import { closeMemoryProposal } from './closeMemoryProposal';
import { closeReconciliation } from './closeReconciliation';
import { closeSweep } from './closeSweep';
import type { Dependencies } from './dependencies';
import { eraseRecords } from './eraseRecords';
import { eraseRuns } from './eraseRuns';
import { failAgentStep } from './failAgentStep';
import { evaluatePolicy } from './evaluatePolicy';
import { guarded } from './failures';
import { freezeManifest } from './freezeManifest';
import { grantGrace } from './grantGrace';
import { flagForReview } from './flagForReview';
import { holdAgain } from './holdAgain';
import { ingestItems } from './ingestItems';
import { issueRefund } from './issueRefund';
import { notifyRequester } from './notifyRequester';
import { openBatch } from './openBatch';
import { openAgentRun } from './openAgentRun';
import { openMemoryProposal } from './openMemoryProposal';
import { openReconciliation } from './openReconciliation';
import { openRefund } from './openRefund';
import { owedDecisions } from './owedDecisions';
import { planAgentRun } from './planAgentRun';
import { proveErasure } from './proveErasure';
import { proposeMemory } from './proposeMemory';
import { publishApproval } from './publishApproval';
import { reconcilePage } from './reconcilePage';
import { remindApprovers } from './remindApprovers';
import { reverseRefund } from './reverseRefund';
import { settleRefund } from './settleRefund';
import { sweepRetention } from './sweepRetention';
import { takeAgentStep } from './takeAgentStep';
import { takeOver } from './takeOver';

/**
 * Every side effect of the workflows, of refunds, batches, agent runs, proposals to memory, reconciliations, erasures and
 * sweeps; what each may touch stands in its own file. Money moves in `issueRefund`.
 */
export function createActivities(dependencies: Dependencies) {
  return {
    openRefund: guarded(openRefund(dependencies)),
    takeOver: guarded(takeOver(dependencies)),
    evaluatePolicy: guarded(evaluatePolicy(dependencies)),
    publishApproval: guarded(publishApproval(dependencies)),
    applyDecision: guarded(applyDecision(dependencies)),
    owedDecisions: guarded(owedDecisions(dependencies)),
    grantGrace: guarded(grantGrace(dependencies)),
    remindApprovers: guarded(remindApprovers(dependencies)),
    authorizeExecution: guarded(authorizeExecution(dependencies)),
    issueRefund: guarded(issueRefund(dependencies)),
    cancelUnsent: guarded(cancelUnsent(dependencies)),
    confirmCancel: guarded(confirmCancel(dependencies)),
    checkRefund: guarded(checkRefund(dependencies)),
    settleRefund: guarded(settleRefund(dependencies)),
    flagForReview: guarded(flagForReview(dependencies)),
    notifyRequester: guarded(notifyRequester(dependencies)),
    proposeMemory: guarded(proposeMemory(dependencies.memory)),
    archiveRun: guarded(archiveRun(dependencies)),
    applyReview: guarded(applyReview(dependencies)),
    reverseRefund: guarded(reverseRefund(dependencies)),
    holdAgain: guarded(holdAgain(dependencies)),
    openReconciliation: guarded(openReconciliation(dependencies)),
    reconcilePage: guarded(reconcilePage(dependencies)),
    closeReconciliation: guarded(closeReconciliation(dependencies)),
    eraseRuns: guarded(eraseRuns(dependencies)),
    eraseRecords: guarded(eraseRecords(dependencies)),
    proveErasure: guarded(proveErasure(dependencies)),
    sweepRetention: guarded(sweepRetention(dependencies)),
    checkBatch: guarded(checkBatch(dependencies)),
    freezeManifest: guarded(freezeManifest(dependencies)),
    openBatch: guarded(openBatch(dependencies)),
    admitBatchItems: guarded(admitBatchItems(dependencies)),
    ingestItems: guarded(ingestItems(dependencies)),
    closeBatch: guarded(closeBatch(dependencies)),
    closeSweep: guarded(closeSweep(dependencies)),
    openMemoryProposal: guarded(openMemoryProposal(dependencies)),
    adoptMemory: guarded(adoptMemory(dependencies)),
    closeMemoryProposal: guarded(closeMemoryProposal(dependencies)),
    openAgentRun: guarded(openAgentRun(dependencies)),
    planAgentRun: guarded(planAgentRun(dependencies)),
    takeAgentStep: guarded(takeAgentStep(dependencies)),
    failAgentStep: guarded(failAgentStep(dependencies)),
  };
}

export type RefundActivities = ReturnType<typeof createActivities>;
