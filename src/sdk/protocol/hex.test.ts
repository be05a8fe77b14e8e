import { expect, test } from 'vitest';
import { fromHex, toBytes, toHex, toInteger } from './hex.ts';

test('converts bytes and integers to hex and back, padded or not', () => {
  expect(toHex(toBytes(0n, 2))).toBe('0000');
  expect(toHex(toBytes(0n))).toBe('00');
  expect(toHex(toBytes(0xabcn))).toBe('0abc');
  expect(toHex(toBytes(0xabcn, 4))).toBe('00000abc');
  expect(toInteger(fromHex('00000abc', 4))).toBe(0xabcn);
  expect(toInteger(new Uint8Array())).toBe(0n);
});

test('rejects anything but lowercase hex of a bounded length', () => {
  for (const text of ['', 'a', 'AB', '0x12', 'zz', ' 12', '12\n', '123456', null, 12, ['12']])
    expect(() => fromHex(text as string, 2), String(text)).toThrow(RangeError);
});
