import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TEST_CARDS } from '#emulators/stripe/billing/cards.ts';

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/api/guides/taking-a-payment.md'), 'utf8');

test('the payments guide lists exactly the test cards of a sandbox', () => {
  const documented = [...guide.matchAll(/^\| `([\d ]+)` \|/gm)].map(([, number]) => number!.replaceAll(' ', ''));
  expect(documented.toSorted()).toEqual(TEST_CARDS.map(({ number }) => number).toSorted());
});
