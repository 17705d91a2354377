export { agentRun } from './agentRun';
export { erasePerson } from './erasePerson';
export { memoryRetention } from './memoryRetention';
export { reconcile } from './reconcile';
export { refund } from './refund';
