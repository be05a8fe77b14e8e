import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../reference/open-api.ts';
import { sampleOf } from './schema-sample.ts';

const sample = (schema: JsonSchema, optional = true) => sampleOf(schema, {}, { optional });

describe('a sample value', () => {
  it("is the schema's own example if it has one", () => {
    expect(sample({ type: 'string', enum: ['a', 'b'], examples: ['b'] })).toBe('b');
    expect(sample({ anyOf: [{ type: 'string' }, { type: 'null' }], examples: [null] })).toBeNull();
  });

  it('is the first enum value or type', () => {
    expect(sample({ enum: ['a', 'b'] })).toBe('a');
    expect(sample({ const: 'Patient' })).toBe('Patient');
    expect(sample({ anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] })).toBe('2026-11-23');
  });

  it('conforms to type, format and minimum', () => {
    expect(sample({ type: 'string', format: 'uuid' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(sample({ type: 'integer', minimum: 5 })).toBe(5);
    expect(sample({ type: ['boolean', 'null'] })).toBe(false);
    expect(sample({ type: 'array', items: { type: 'boolean' } })).toEqual([false]);
  });

  it('includes optional properties only if they have an example', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, secret: { type: 'string', examples: ['s'] }, note: { type: 'string' } },
    };
    expect(sample(schema)).toEqual({ id: 'text', secret: 's' });
    expect(sample(schema, false)).toEqual({ id: 'text' });
  });

  it('omits deprecated optional properties', () => {
    const old: JsonSchema = { type: 'string', examples: ['Ada'], deprecated: true };
    expect(sample({ type: 'object', properties: { name: old } })).toEqual({});
    expect(sample({ type: 'object', required: ['name'], properties: { name: old } })).toEqual({ name: 'Ada' });
  });

  it('follows a $ref, and throws for an unknown one', () => {
    const $ref = '#/components/schemas/Thing';
    expect(sampleOf({ $ref }, { Thing: { const: 7 } }, { optional: true })).toBe(7);
    expect(() => sample({ $ref })).toThrow('Thing');
  });
});
