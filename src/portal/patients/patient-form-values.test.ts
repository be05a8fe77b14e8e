import { expect, test } from 'vitest';
import { CreatePatientInput } from '#contract/patients.ts';
import { fromFormValues, toFormValues } from './patient-form-values.ts';

const blank = toFormValues(undefined);
const named = { ...blank, first_name: 'Ada', last_name: 'Example' };

test('a form with only a name is what the contract takes, with nothing invented', () => {
  const input = CreatePatientInput.parse(fromFormValues(named));
  expect(input).toMatchObject({
    first_name: 'Ada',
    last_name: 'Example',
    birth_date: null,
    phones_attributes: [],
    addresses_attributes: [],
  });
});

test('tags are split at commas and blanks dropped', () => {
  expect(fromFormValues({ ...named, tags: 'vip, , diabetes ' }).tag_list).toEqual(['vip', 'diabetes']);
});

test('a known phone that was emptied is dropped; a changed one keeps its id', () => {
  const id = '0193f2a0-7c1e-7000-8000-000000000001';
  expect(fromFormValues({ ...named, phones_attributes: [{ id, number: ' ' }] }).phones_attributes).toEqual([
    { id, _destroy: true },
  ]);
  expect(fromFormValues({ ...named, phones_attributes: [{ id, number: '+12025550123' }] }).phones_attributes).toEqual([
    { id, number: '+12025550123', primary: true },
  ]);
});

test('an address with one line is kept', () => {
  const [address] = blank.addresses_attributes;
  const input = fromFormValues({ ...named, addresses_attributes: [{ ...address!, city: 'Springfield' }] });
  expect(input.addresses_attributes).toEqual([
    expect.objectContaining({ city: 'Springfield', line1: null, primary: true }),
  ]);
});
