import { expect, test } from 'vitest';
import { nameOfPatient } from './name-of-patient.ts';

const nobody = { first_name: null, middle_name: null, last_name: null, email: null, phone_number: null };

test('joins the known parts of a name', () => {
  expect(nameOfPatient({ ...nobody, first_name: 'Ada', last_name: 'Example' })).toBe('Ada Example');
});

test('falls back to email or phone number without a name', () => {
  expect(nameOfPatient({ ...nobody, email: 'ada@example.test', phone_number: '+12025550123' })).toBe(
    'ada@example.test',
  );
  expect(nameOfPatient({ ...nobody, phone_number: '+12025550123' })).toBe('+12025550123');
  expect(nameOfPatient(nobody)).toBe('No name');
});
