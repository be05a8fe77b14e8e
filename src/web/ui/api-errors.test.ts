import { expect, test } from 'vitest';
import { fieldOfError, firstErrorMessage, readApiErrors, requestIdOf, shownFieldOf } from './api-errors.ts';

const emailTaken = {
  code: 'email_taken',
  title: 'Email taken',
  detail: 'Send another email.',
  people: 'Another patient has this email.',
  source: { pointer: '/email' },
};

test('reads the errors and the request id from the envelope of a failed call', () => {
  const error = { data: { errors: [emailTaken], request_id: 'req_1' } };
  expect(readApiErrors(error)).toEqual([emailTaken]);
  expect(requestIdOf(error)).toBe('req_1');
  expect(firstErrorMessage(error)).toBe('Another patient has this email.');
});

test('never shows the detail that is meant for developers', () => {
  const { people: _, ...withoutMessage } = emailTaken;
  expect(firstErrorMessage({ data: { errors: [withoutMessage] } })).toMatch(/^Something did not work/);
});

test('reports an error without an envelope as a lost connection', () => {
  expect(readApiErrors(new TypeError('fetch failed'))[0].code).toBe('unreachable');
  expect(readApiErrors(null)[0].code).toBe('unreachable');
});

test('maps a JSON pointer to the form field, including nested rows and escapes', () => {
  expect(fieldOfError({ ...emailTaken, source: { pointer: '/phones_attributes/0/number' } })).toBe(
    'phones_attributes.0.number',
  );
  expect(fieldOfError({ ...emailTaken, source: { pointer: '/metadata/a~1b~0c' } })).toBe('metadata.a/b~c');
  expect(fieldOfError({ ...emailTaken, source: { parameter: 'from_date' } })).toBe('from_date');
});

test('an error shows at its field, at the field around it, or at the one that has another name in the form', () => {
  const fields = new Set(['value', 'kind', 'products', 'recurring.interval_count']);
  const names = { discount: 'value', 'discount.currency': 'kind' };
  const at = (field: string) => shownFieldOf(field, { names, isShown: (name) => fields.has(name) });
  expect(at('recurring.interval_count')).toBe('recurring.interval_count');
  expect(at('products.3')).toBe('products');
  expect(at('discount')).toBe('value');
  expect(at('discount.percent_off')).toBe('value');
  expect(at('discount.currency')).toBe('kind');
});

test('an error of a field that the form does not show belongs to no field', () => {
  const isShown = (field: string) => field === 'unit_amount';
  expect(shownFieldOf('currency', { isShown })).toBeUndefined();
  expect(shownFieldOf('recurring', { isShown })).toBeUndefined();
});
