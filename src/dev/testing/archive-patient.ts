/** For suites of what lies below archiving, to which it is a thing that happens. */
export { archive as archivePatient } from '#server/care/archive.ts';
