import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './open-api.ts';
import { fieldOf, fieldsOf } from './schema-fields.ts';

const field = (schema: JsonSchema) => fieldOf('name', schema, false, {});

describe('a field', () => {
  it('has a readable type', () => {
    expect(field({ type: 'string', format: 'uuid' }).type).toBe('uuid');
    expect(field({ type: 'array', items: { type: 'string' } }).type).toBe('array of strings');
    expect(field({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type).toBe('integer or null');
    expect(field({ type: ['integer', 'null'] }).type).toBe('integer or null');
    expect(field({ type: 'array', items: { $ref: '#/components/schemas/Patient' } }).type).toBe('array of Patient');
  });

  it('has limits, also when it is nullable', () => {
    expect(field({ type: 'integer', minimum: 1, maximum: 1000 }).limits).toBe('1 to 1,000');
    expect(field({ anyOf: [{ type: 'string', maxLength: 40 }, { type: 'null' }] }).limits).toBe(
      'at most 40 characters',
    );
    expect(field({ type: 'array', minItems: 1, items: {} }).limits).toBe('at least 1 items');
  });

  it('has no limits when it is an id', () => {
    expect(field({ type: 'integer', minimum: 1, maximum: 2_147_483_647 }).limits).toBeNull();
  });

  it('lists enum values, also inside an array', () => {
    expect(field({ type: 'string', enum: ['a', 'b'] }).values).toEqual(['a', 'b']);
    expect(field({ type: 'array', items: { enum: ['a'] } }).values).toEqual(['a']);
    expect(field({ const: 'Patient' }).values).toEqual(['Patient']);
  });

  it('prefers its own description to that of its type', () => {
    const described: JsonSchema = { anyOf: [{ type: 'string', description: 'inner' }, { type: 'null' }] };
    expect(field(described).description).toBe('inner');
    expect(field({ ...described, description: 'outer' }).description).toBe('outer');
  });

  it('has the fields of nested objects', () => {
    const item: JsonSchema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
    const inner = fieldsOf(item, {});
    expect(inner).toMatchObject([{ name: 'id', required: true }]);
    expect(field({ type: 'array', items: item }).fields).toEqual(inner);
    expect(field({ anyOf: [item, { type: 'null' }] }).fields).toEqual(inner);
  });
});
