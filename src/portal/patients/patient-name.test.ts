import { expect, test } from 'vitest';
import { patientName } from './patient-name.ts';

const nobody = { first_name: null, middle_name: null, last_name: null, email: null, phone_number: null };

test('a patient is called by the parts of the name that are known', () => {
  expect(patientName({ ...nobody, first_name: 'Ada', last_name: 'Example' })).toBe('Ada Example');
});

test('without a name the way to reach them stands in', () => {
  expect(patientName({ ...nobody, email: 'ada@example.test', phone_number: '+12025550123' })).toBe('ada@example.test');
  expect(patientName({ ...nobody, phone_number: '+12025550123' })).toBe('+12025550123');
  expect(patientName(nobody)).toBe('No name');
});
