import { refuse } from '#server/core/errors.ts';

/** Who says whose something is has to be right about it. */
export function refuseOther({ patientId }: { patientId: string | null }, named: string | undefined): void {
  if (named === undefined || named === patientId) return;
  throw refuse('invalid_parameter', '"patient_id" names another patient than whose this is; leave it out.', {
    people: 'This is another patient’s.',
    source: { pointer: '/patient_id' },
  });
}
