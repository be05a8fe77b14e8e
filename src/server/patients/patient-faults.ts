import { CarelaneError, type Fault } from '#server/core/errors.ts';

const EARLIEST_BIRTH = '1850-01-01';

/** Refuses with every fault of the input at once, a birth date out of range among them. */
export function refusePatientFaults(birthDate: string | null | undefined, today: string, faults: Fault[]): void {
  const all = [...faults];
  const refuseDate = (detail: string) =>
    all.unshift({ code: 'invalid_parameter', detail, source: { pointer: '/birth_date' } });
  if (birthDate && birthDate > today)
    refuseDate(`The birth date lies in the future: where the clinic is, today is ${today}.`);
  if (birthDate && birthDate < EARLIEST_BIRTH) refuseDate(`The birth date must not lie before ${EARLIEST_BIRTH}.`);
  if (all.length > 0) throw new CarelaneError(all);
}
