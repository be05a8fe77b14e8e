import { expect, test } from 'vitest';
import { withWhomOf } from './with-whom.ts';

test('an address names a calendar or a practitioner, and anything else nobody', () => {
  expect(withWhomOf('11')).toEqual({ calendar_id: 11 });
  const id = '0199A000-0000-7000-8000-00000000000a';
  expect(withWhomOf(id)).toEqual({ practitioner_id: id.toLowerCase() });
  for (const text of ['', '0', '-1', '1e3', '99999999999', 'Rowan', `${id}0`]) expect(withWhomOf(text)).toBeNull();
});
