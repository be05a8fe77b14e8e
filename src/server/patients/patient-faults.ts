import { CarelaneError, type Fault } from '#server/core/errors.ts';

const EARLIEST_BIRTH = '1850-01-01';

/** Refuses with every fault of the input at once, a birth date out of range among them. */
export function refusePatientFaults(birthDate: string | null | undefined, today: string, faults: Fault[]): void {
  const all = [...faults];
  if (birthDate && (birthDate < EARLIEST_BIRTH || birthDate > today))
    all.unshift({
      code: 'invalid_parameter',
      detail: `The birth date must lie between ${EARLIEST_BIRTH} and today.`,
      source: { pointer: '/birth_date' },
    });
  if (all.length > 0) throw new CarelaneError(all);
}
