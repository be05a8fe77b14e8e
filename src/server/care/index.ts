export { endCare } from './end-care.ts';
