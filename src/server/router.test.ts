import { expect, test } from 'vitest';
import { ZodType } from 'zod';
import { procedures } from './router.ts';

// REST calls the resolver itself. It would skip a middleware that is not known to `callProcedure`.
test('a procedure consists of its audit entry, at most one input and its resolver', () => {
  expect(Object.keys(procedures).length).toBeGreaterThan(100);
  for (const [name, procedure] of Object.entries(procedures)) {
    const { type, inputs, resolver, middlewares } = procedure!._def as NonNullable<typeof procedure>['_def'] & {
      middlewares: unknown;
    };
    expect(['query', 'mutation', 'subscription'], name).toContain(type);
    expect(inputs.length, name).toBeLessThanOrEqual(1);
    for (const input of inputs) expect(input, name).toBeInstanceOf(ZodType);
    expect(resolver, name).toBeInstanceOf(Function);
    expect(middlewares, name).toHaveLength(inputs.length + 2);
  }
});
