import { expect, test } from 'vitest';
import { z } from 'zod';
import { filters } from './filters.ts';

const Input = z.strictObject(filters({ email: 'string', age: 'integer' }));
const given = (field: string) => Input.safeParse({ filters: [{ field, operator: 'eq', value: 'x' }] });

test('rejects a field that is not in the list, also names that every object inherits', () => {
  expect(given('email').success).toBe(true);
  for (const field of ['phone', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(given(field).error?.issues[0]?.message, field).toContain('the fields are email, age');
});
