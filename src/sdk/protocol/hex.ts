// Plain loops for speed: a sign-in converts some thirty numbers of the group.
const HEX = /^(?:[0-9a-f]{2})+$/;
const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Encodes as lowercase hex, two digits per byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

/**
 * Decodes lowercase hex.
 * @throws RangeError unless `text` is lowercase hex of 1 to `maxBytes` bytes
 */
export function fromHex(text: string, maxBytes: number): Uint8Array {
  if (typeof text !== 'string' || text.length > maxBytes * 2 || !HEX.test(text))
    throw new RangeError(`Expected lowercase hex of at most ${maxBytes} bytes.`);
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = 16 * digit(text.charCodeAt(2 * at)) + digit(text.charCodeAt(2 * at + 1));
  return bytes;
}

/** '0' to '9' are 48 to 57, 'a' to 'f' 97 to 102. */
const digit = (code: number): number => (code < 97 ? code - 48 : code - 87);

/** Decodes big-endian bytes, as used throughout SRP. */
export const toInteger = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes) || '0'}`);

/** Encodes as big-endian bytes, padded with zeros to `length`; without it, as few bytes as possible. */
export function toBytes(integer: bigint, length = 0): Uint8Array {
  const digits = integer.toString(16);
  const even = digits.padStart(digits.length + (digits.length % 2), '0').padStart(length * 2, '0');
  return fromHex(even, even.length / 2);
}
