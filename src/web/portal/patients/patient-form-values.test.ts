import { expect, test } from 'vitest';
import { CreatePatientInput } from '#contract/patients.ts';
import { patientFormValues } from './patient-form-schema.ts';
import { fromFormValues, toFormValues } from './patient-form-values.ts';

const blank = toFormValues(undefined);
const named = { ...blank, first_name: 'Ada', last_name: 'Example' };

test('turns a form with only a name into valid input and adds nothing', () => {
  const input = CreatePatientInput.parse(fromFormValues(named));
  expect(input).toMatchObject({
    first_name: 'Ada',
    last_name: 'Example',
    birth_date: null,
    phones_attributes: [],
    addresses_attributes: [],
  });
});

test('splits tags at commas and drops blanks', () => {
  expect(fromFormValues({ ...named, tags: 'vip, , diabetes ' }).tag_list).toEqual(['vip', 'diabetes']);
});

test('destroys a known phone that was emptied, and sends a changed one with its id', () => {
  const id = '0193f2a0-7c1e-7000-8000-000000000001';
  expect(fromFormValues({ ...named, phones_attributes: [{ id, number: ' ' }] }).phones_attributes).toEqual([
    { id, _destroy: true },
  ]);
  expect(fromFormValues({ ...named, phones_attributes: [{ id, number: '+12025550123' }] }).phones_attributes).toEqual([
    { id, number: '+12025550123', primary: true },
  ]);
});

test('sends an address with a single line', () => {
  const [address] = blank.addresses_attributes;
  const input = fromFormValues({ ...named, addresses_attributes: [{ ...address!, city: 'Springfield' }] });
  expect(input.addresses_attributes).toEqual([
    expect.objectContaining({ city: 'Springfield', line1: null, primary: true }),
  ]);
});

test('reports all errors at once, including the contract’s limits and an invalid phone number', () => {
  const [address] = blank.addresses_attributes;
  const { error } = patientFormValues().safeParse({
    ...blank,
    first_name: 'x'.repeat(101),
    middle_name: 'x'.repeat(101),
    email: 'no-email',
    birth_date: '2999-01-01',
    external_id: 'x'.repeat(256),
    language: 'Klingon',
    tags: 'x'.repeat(101),
    phones_attributes: [{ number: '12' }],
    addresses_attributes: [{ ...address!, zip: '9'.repeat(21) }],
  });
  expect(Object.fromEntries(error!.issues.map(({ path, message }) => [path.join('.'), message]))).toEqual({
    first_name: 'Use at most 100 characters.',
    middle_name: 'Use at most 100 characters.',
    last_name: 'Enter a last name.',
    email: 'Enter an email address like name@example.org.',
    birth_date: 'A date of birth cannot lie in the future.',
    external_id: 'Use at most 255 characters.',
    language: 'Choose a language by its tag (BCP 47), such as es or de-AT.',
    tags: 'Use at most 100 characters.',
    'phones_attributes.0.number': 'Enter a whole phone number, such as (202) 555-0123 or +44 20 7946 0000.',
    'addresses_attributes.0.zip': 'Use at most 20 characters.',
  });
});

test('accepts what the server sends, complete or nearly empty', () => {
  expect(patientFormValues().safeParse(named).success).toBe(true);
  const full = { ...named, email: 'ada@example.test', birth_date: '1990-04-12', tags: 'vip, diabetes' };
  expect(patientFormValues().safeParse({ ...full, phones_attributes: [{ number: '+12025550123' }] }).success).toBe(
    true,
  );
});

test('rejects a date of birth before 1900, unless it is on record already', () => {
  const isValid = (birth_date: string, stored?: string) =>
    patientFormValues(stored).safeParse({ ...named, birth_date }).success;
  expect([isValid('1900-01-01'), isValid('1899-12-31'), isValid('1850-01-01', '1851-01-01')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isValid('1850-01-01', '1850-01-01')).toBe(true);
});
