import { expect, test } from 'vitest';
import { ROLES } from '#contract/roles.ts';
import { ROLE_DESCRIPTIONS } from './role-descriptions.ts';

test('describes each role in sentences of its own', () => {
  expect(Object.keys(ROLE_DESCRIPTIONS)).toEqual([...ROLES]);
  const texts = Object.values(ROLE_DESCRIPTIONS);
  expect(new Set(texts).size).toBe(ROLES.length);
  for (const text of texts) expect(text).toMatch(/^\p{Lu}.+\.$/u);
});
