import { apiError } from '#server/core/errors.ts';

/** Throws `invalid_parameter` when the given `patient_id` is not the owner of the resource. */
export function assertOwner({ patientId }: { patientId: string | null }, named: string | undefined): void {
  if (named === undefined || named === patientId) return;
  throw apiError('invalid_parameter', '"patient_id" names another patient than whose this is; leave it out.', {
    people: 'This is another patient’s.',
    source: { pointer: '/patient_id' },
  });
}
