export { refund } from './refund';
