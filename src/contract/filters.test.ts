import { expect, test } from 'vitest';
import { z } from 'zod';
import { filters } from './filters.ts';

const Input = z.strictObject(filters({ email: 'string', age: 'integer' }));
const parse = (field: string) => Input.safeParse({ filters: [{ field, operator: 'eq', value: 'x' }] });

test('rejects a field that is not in the list, also names that every object inherits', () => {
  expect(parse('email').success).toBe(true);
  for (const field of ['phone', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(parse(field).error?.issues[0]?.message, field).toContain('the fields are email, age');
});
