import { expect, test } from 'vitest';
import type { PatientView } from '#contract/patients.ts';
import { findLabel } from './use-patient-labels.ts';

const ADA = { id: 'ada', first_name: 'Ada', last_name: 'Example', birth_date: null, phone_number: null } as PatientView;
const loaded = { ids: ['ada', 'gone'], patients: [ADA], isFetching: false };

test('names a patient, once loaded', () => {
  expect(findLabel('ada', { ...loaded, isFetching: true })?.name).toBe('Ada Example');
  expect(findLabel('gone', { ...loaded, isFetching: true })).toBeUndefined();
  expect(findLabel('gone', loaded)?.name).toBe('Unknown patient');
});

test('has no label for an id that is not in the list, as on the page of one patient', () => {
  expect(findLabel('ada', { ids: [], patients: undefined, isFetching: false })).toBeUndefined();
});
