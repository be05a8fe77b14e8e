import { expect, it } from 'vitest';
import { freePort } from './free-port.mjs';

it('returns no port that is reserved, neither as the preferred one nor as the next one', async () => {
  const first = await freePort();
  expect(await freePort(first)).toBe(first);
  expect(await freePort(first, first)).not.toBe(first);
  const next = 20_000 + ((first - 20_000 + 3 * 17) % 12_000);
  const found = [];
  for (let count = 0; count < 4; count += 1) found.push(await freePort(undefined, next));
  expect(found).not.toContain(next);
});
