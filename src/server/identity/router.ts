export { applicationsRouter } from './applications/router.ts';
export { addressChangesRouter, invitationsRouter, patientSignInRouter } from './patients/router.ts';
export { sessionRouter } from './staff/router.ts';
