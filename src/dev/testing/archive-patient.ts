/** Lets the tests of lower domains archive a patient without importing `care`. */
export { archive as archivePatient } from '#server/care/router.ts';
