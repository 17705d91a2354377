export { agentRun } from './agentRun';
export { erasePerson } from './erasePerson';
export { ingestKnowledge } from './ingestKnowledge';
export { memoryProposal } from './memoryProposal';
export { memoryRetention } from './memoryRetention';
export { reconcile } from './reconcile';
export { refund } from './refund';
export { refundBatch } from './refundBatch';
