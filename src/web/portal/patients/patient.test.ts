import { expect, test } from 'vitest';
import { nameOfPatient } from './patient.ts';

const unnamed = { first_name: null, middle_name: null, last_name: null, email: null, phone_number: null };

test('joins the known parts of a name', () => {
  expect(nameOfPatient({ ...unnamed, first_name: 'Ada', last_name: 'Example' })).toBe('Ada Example');
});

test('falls back to email or phone number without a name', () => {
  expect(nameOfPatient({ ...unnamed, email: 'ada@example.test', phone_number: '+12025550123' })).toBe(
    'ada@example.test',
  );
  expect(nameOfPatient({ ...unnamed, phone_number: '+12025550123' })).toBe('+12025550123');
  expect(nameOfPatient(unnamed)).toBe('No name');
});
