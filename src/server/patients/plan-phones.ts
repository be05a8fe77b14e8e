import type { CreatePatientInput } from '#contract/patients.ts';
import type { Fault } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { parsePhoneNumber } from './parse-phone-number.ts';
import { type NestedChange, type NestedPlan, planNestedRows } from './plan-nested-rows.ts';
import type { PatientRecord } from './present-patient.ts';

export type PhoneRow = PatientRecord['phones'][number];

/**
 * Plans the changes of a patient's phones from the request; `phone_number` is a shorthand for one new primary phone.
 */
export function planPhones(
  existing: PhoneRow[],
  input: Pick<CreatePatientInput, 'phones_attributes' | 'phone_number'>,
): NestedPlan<PhoneRow> {
  const faults: Fault[] = [];
  const e164 = (number: string, pointer: string): string => {
    const parsed = parsePhoneNumber(number);
    const detail = 'This is not a valid phone number; give it with its country code, such as +12025550123.';
    if (!parsed) faults.push({ code: 'invalid_parameter', detail, source: { pointer } });
    return parsed ?? number;
  };
  const changes: NestedChange<PhoneRow>[] = (input.phones_attributes ?? []).map(({ number, ...rest }, index) => {
    const pointer = `/phones_attributes/${index}`;
    if (number !== undefined) return { pointer, attributes: { ...rest, number: e164(number, `${pointer}/number`) } };
    if (rest.id === undefined && !rest._destroy)
      faults.push({
        code: 'missing_parameter',
        detail: 'A new phone needs a "number".',
        source: { pointer: `${pointer}/number` },
      });
    return { pointer, attributes: rest };
  });
  if (input.phone_number) {
    const number = e164(input.phone_number, '/phone_number');
    const same = changes.find(({ attributes }) => attributes.id === undefined && attributes.number === number);
    if (same?.attributes.primary === false)
      faults.push({
        code: 'invalid_parameter',
        detail: 'This number was also given as the primary phone, so it cannot be marked as not primary.',
        source: { pointer: `${same.pointer}/primary` },
      });
    else if (same) same.attributes.primary = true;
    else changes.unshift({ pointer: '/phone_number', attributes: { number, primary: true } });
  }
  const blank = (): PhoneRow => ({ id: newId(), number: '', label: null, primary: false, active: true });
  const plan = planNestedRows('phone', existing, changes, blank);
  const primary = plan.rows.find((row) => row.primary);
  if (primary && !primary.active)
    faults.push({
      code: 'invalid_parameter',
      detail: 'The primary phone must be active; make another one primary first.',
      source: { pointer: `${plan.pointers.get(primary.id)}/active` },
    });
  return { ...plan, faults: [...faults, ...plan.faults] };
}
