const HEX = /^(?:[0-9a-f]{2})+$/;

/** Lowercase hex, two digits a byte. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @throws RangeError unless `text` is lowercase hex of 1 to `maxBytes` bytes */
export function fromHex(text: string, maxBytes: number): Uint8Array {
  if (typeof text !== 'string' || text.length > maxBytes * 2 || !HEX.test(text))
    throw new RangeError(`Expected lowercase hex of at most ${maxBytes} bytes.`);
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

/** Big-endian, as everywhere in SRP. */
export const toInteger = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes) || '0'}`);

/** Big-endian, zeros in front up to `length` bytes; the fewest bytes without it. */
export function toBytes(integer: bigint, length = 0): Uint8Array {
  const digits = integer.toString(16);
  const even = digits.padStart(digits.length + (digits.length % 2), '0').padStart(length * 2, '0');
  return fromHex(even, even.length / 2);
}
