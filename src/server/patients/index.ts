export { archivePatient } from './archive-patient.ts';
export { changeEmail, type EmailBefore } from './change-email.ts';
export { changePhone, type PhoneBefore } from './change-phone.ts';
export { confirmPatient } from './confirm-patient.ts';
export { createPatient, insertPatient } from './create-patient.ts';
export { endPendingSignIns } from './end-access.ts';
export { getPatient } from './get-patient.ts';
export { markInvited } from './mark-invited.ts';
export { parsePhoneNumber } from './nested-rows.ts';
export {
  assertInCare,
  assertNotMerged,
  assertOwner,
  CARE_COLUMNS,
  dequeueEndOfCare,
  endCareIfArchived,
  findPatientByEmail,
  IN_CARE,
  isInCare,
  listMerged,
  loadPatientFor,
  lockInCare,
  lockOwner,
  lockPatient,
  mayActFor,
  queueCustomerUpdate,
  queueEndOfCare,
  racesFromTexts,
  rethrowUniqueViolation,
  tenantToday,
  tenantZone,
} from './patient.ts';
export { getPatientView } from './patient-view.ts';
export { type NewPatient, planNewPatient } from './plan-patient.ts';
export { replacePatient } from './replace-patient.ts';
export { fold } from './search-text.ts';
export { writeUpdate } from './update-patient.ts';
