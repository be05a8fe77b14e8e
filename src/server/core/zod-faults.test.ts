import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ListCalendarsInput } from '#contract/scheduling.ts';
import { zodFaults } from './zod-faults.ts';

const ids = ListCalendarsInput.shape.user_ids;
const schema = z.strictObject({ ids, name: z.strictObject({ first: z.string() }) });
const faultsOf = (input: unknown) =>
  zodFaults(schema.safeParse(input).error!, new Set(['ids']), input).map(({ code, detail }) => [code, detail]);
const name = { first: 'Ada' };

describe('the faults of an input', () => {
  it('say what is missing, also within an object', () => {
    expect(faultsOf({})).toEqual([['missing_parameter', '"name" is required.']]);
    expect(faultsOf({ name: {} })).toEqual([['missing_parameter', '"first" is required.']]);
  });

  it('call an empty text of ids wrong, and not a part of it missing', () => {
    expect(faultsOf({ name, ids: '' })).toEqual([['invalid_parameter', '"ids.0": invalid UUID.']]);
    expect(faultsOf({ name, ids: [''] })).toEqual([['invalid_parameter', '"ids.0": invalid UUID.']]);
  });

  it('say a schema’s own words as one sentence, whether they bring a full stop or not', () => {
    const own = z.strictObject({ language: z.string().max(2, 'Choose a language.'), size: z.int() });
    const input = { language: 'Spanish', size: 'large' };
    const details = zodFaults(own.safeParse(input).error!, new Set(), input).map(({ detail }) => detail);
    expect(details).toHaveLength(2);
    expect(details[0]).toBe('"language": choose a language.');
    expect(details[1]).toMatch(/^"size": [^.]+\.$/);
  });
});
