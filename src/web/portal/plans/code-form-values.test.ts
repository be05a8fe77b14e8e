import { expect, test } from 'vitest';
import {
  type CodeFormValues,
  codeSchema,
  latestLastDay,
  percentOf,
  toCodeInput,
  typedTerms,
} from './code-form-values.ts';
import { codeTerms } from './code-terms.ts';

const typed = (values: Partial<CodeFormValues> = {}): CodeFormValues => ({
  ...{ code: '', kind: 'percent', value: '20', duration: 'once', months: '3', products: [] },
  ...{ max_redemptions: '', last_day: '', first_time_only: false, ...values },
});
const MAX_DAY = '2031-11-15';
const messages = (values: Partial<CodeFormValues>) =>
  codeSchema(MAX_DAY)
    .safeParse(typed(values))
    .error?.issues.map(({ path, message }) => [path.join('.'), message]);
const preview = (values: Partial<CodeFormValues>) => {
  const terms = typedTerms(typed(values));
  return terms && codeTerms(terms);
};

test('a percentage is written as amounts are', () => {
  expect(['20', ' 12.5 ', '12,5', '20%', '20 %'].map(percentOf)).toEqual([20, 12.5, 12.5, 20, 20]);
  for (const text of ['', '%', '12.555', '1,2,3', '-5', 'much']) expect(percentOf(text)).toBeNaN();
  expect(toCodeInput(typed({ value: '12,5%' })).discount).toEqual({ kind: 'percent', percent_off: 12.5 });
});

test('a discount that Stripe does not take is explained in money', () => {
  expect(messages({ kind: 'usd', value: '1000000.00' })).toEqual([['value', 'Stripe takes no more than $999,999.99.']]);
  expect(messages({ kind: 'usd', value: '99999999999' })).toEqual([
    ['value', 'Stripe takes no more than $999,999.99.'],
  ]);
  expect(messages({ kind: 'usd', value: '€5' })).toEqual([['value', 'Write an amount, such as 49.00.']]);
  expect(messages({ kind: 'usd', value: '0.20' })).toBeUndefined();
  expect(messages({ value: '100.01' })?.[0]?.[0]).toBe('value');
});

test('a code ends within five years, at the end of its last day', () => {
  expect(latestLastDay('2026-11-16')).toBe(MAX_DAY);
  expect(latestLastDay('2028-02-29')).toBe('2033-02-28');
  expect(latestLastDay('2026-01-01')).toBe('2030-12-31');
  expect(messages({ last_day: MAX_DAY })).toBeUndefined();
  for (const last_day of ['2031-11-16', '12026-01-01'])
    expect(messages({ last_day })).toEqual([['last_day', 'Choose a day within five years.']]);
});

test('only possible terms are previewed', () => {
  expect(preview({})).toBe('20% off the first bill');
  expect(preview({ kind: 'usd', value: '$5', duration: 'repeating' })).toBe('$5.00 off for 3 months');
  const impossible: Partial<CodeFormValues>[] = [
    { value: '' },
    { value: '120' },
    { value: '0' },
    { kind: 'usd', value: '1000000' },
    { duration: 'repeating', months: '37' },
  ];
  expect(impossible.map(preview)).toEqual(impossible.map(() => null));
  expect(preview({ months: 'none' })).toBe('20% off the first bill');
});
