import { describe, expect, it } from 'vitest';
import { CarelaneError, type Fault, pointerTo, presentErrors, truncate } from './errors.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const fault = (more: Partial<Fault> = {}): Fault => ({ code: 'invalid_parameter', detail: 'Wrong.', ...more });
const pointerOf = (pointer: string) => new CarelaneError(fault({ source: { pointer } })).faults[0]!.source;

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, '…'],
    ['abcdef', 5, 'ab…'],
    ['äöüäöü', 8, 'äö…'],
    ['𝕬𝕬𝕬', 8, '𝕬…'],
    ['\u0001\u0001\u0001', 15, '\u0001\u0001…'],
    ['\ud800\ud800\ud800', 10, '\ud800…'],
  ])('limits %j to %d bytes of JSON: %j', (text, maxBytes, expected) => {
    expect(truncate(text, maxBytes)).toBe(expected);
    expect(bytesOf(truncate(text, maxBytes)) - 2).toBeLessThanOrEqual(maxBytes);
  });
});

describe('the source of a fault', () => {
  it('is a JSON pointer as in RFC 6901', () => {
    expect(pointerTo(['a/b', 'c~d', 0])).toBe('/a~1b/c~0d/0');
    expect(pointerOf('/a~1b/c~0d/0')).toEqual({ pointer: '/a~1b/c~0d/0' });
    expect(pointerOf('')).toEqual({ pointer: '' });
    expect(pointerOf('/')).toEqual({ pointer: '/' });
  });

  it('is the pointer of the parent when the full pointer is too long', () => {
    expect(pointerOf(`/a/0/${'x'.repeat(5000)}`)).toEqual({ pointer: '/a/0' });
    expect(pointerOf(`/${'x'.repeat(5000)}/a`)).toEqual({ pointer: '' });
    expect(pointerOf(`/${'\u0001'.repeat(40)}/a`)).toEqual({ pointer: '' });
    expect(pointerOf('/ab'.repeat(5000))).toEqual({ pointer: '/ab'.repeat(66) });
  });
});

describe('CarelaneError', () => {
  it('has at most twenty short faults', () => {
    const long = (n: number) =>
      fault({ detail: '\u0001'.repeat(9000), source: { parameter: `${n}${'\u0001'.repeat(9000)}` } });
    const { faults, message } = new CarelaneError(Array.from({ length: 5000 }, (_, n) => long(n)));
    expect(faults).toHaveLength(20);
    expect(message.length).toBeLessThan(20 * 100);
    expect(bytesOf(presentErrors(faults))).toBeLessThan(14_001);
  });

  it('drops meta first, then the last faults, then the end of its texts, to fit', () => {
    const meta = { live: Array.from({ length: 500 }, (_, n) => `id-${n}-${'x'.repeat(30)}`) };
    const [first, second, ...others] = presentErrors([fault(), fault({ meta })]);
    expect([first!.detail, second!.meta, others]).toEqual(['Wrong.', undefined, []]);
    expect(presentErrors([fault({ meta: { small: 1 } })])[0]!.meta).toEqual({ small: 1 });
    const shortened = presentErrors(
      Array.from({ length: 20 }, (_, n) => fault({ detail: `${n}`.repeat(50) })),
      { maxBytes: 1000 },
    );
    expect(shortened.length).toBeGreaterThan(1);
    expect(shortened[0]!.detail).toBe('0'.repeat(50));
    const [one] = presentErrors([fault({ detail: 'x'.repeat(300), source: { pointer: '/a' } })], { maxBytes: 250 });
    expect(one).not.toHaveProperty('source');
    expect(bytesOf(one)).toBeLessThan(250);
  });
});
