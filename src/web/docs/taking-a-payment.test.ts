import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TEST_CARDS } from '#emulators/stripe/billing/cards.ts';

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/api/guides/taking-a-payment.md'), 'utf8');

test('the guide on payments lists every test card that a sandbox knows, and no other', () => {
  const told = [...guide.matchAll(/^\| `([\d ]+)` \|/gm)].map(([, number]) => number!.replaceAll(' ', ''));
  expect(told.toSorted()).toEqual(TEST_CARDS.map(({ number }) => number).toSorted());
});
