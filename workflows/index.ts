export { reconcile } from './reconcile';
export { refund } from './refund';
