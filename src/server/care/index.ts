export { endCare } from './end-care.ts';
export { moveLateRows } from './merge-patients.ts';
