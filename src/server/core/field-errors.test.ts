import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ListCalendarsInput } from '#contract/scheduling.ts';
import { fieldErrors } from './field-errors.ts';

const ids = ListCalendarsInput.shape.user_ids;
const schema = z.strictObject({ ids, name: z.strictObject({ first: z.string() }) });
const faultsOf = (input: unknown) =>
  fieldErrors(schema.safeParse(input).error!, new Set(['ids']), input).map(({ code, detail }) => [code, detail]);
const name = { first: 'Ada' };

describe('fieldErrors', () => {
  it('reports missing fields, also within an object', () => {
    expect(faultsOf({})).toEqual([['missing_parameter', '"name" is required.']]);
    expect(faultsOf({ name: {} })).toEqual([['missing_parameter', '"first" is required.']]);
  });

  it('reports an empty text for a list of ids as invalid, not as a missing item', () => {
    expect(faultsOf({ name, ids: '' })).toEqual([['invalid_parameter', '"ids.0": invalid UUID.']]);
    expect(faultsOf({ name, ids: [''] })).toEqual([['invalid_parameter', '"ids.0": invalid UUID.']]);
  });

  it('formats a schema’s message as one sentence, with or without a full stop', () => {
    const own = z.strictObject({ language: z.string().max(2, 'Choose a language.'), size: z.int() });
    const input = { language: 'Spanish', size: 'large' };
    const details = fieldErrors(own.safeParse(input).error!, new Set(), input).map(({ detail }) => detail);
    expect(details).toHaveLength(2);
    expect(details[0]).toBe('"language": choose a language.');
    expect(details[1]).toMatch(/^"size": [^.]+\.$/);
  });
});
