import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCipher, sameSecret } from './crypto.ts';

describe('createCipher', () => {
  const cipher = createCipher(randomBytes(32));

  it('decrypts what it encrypted', () => {
    expect(cipher.open(cipher.seal('clé 🔑', 'a/1/b'), 'a/1/b')).toBe('clé 🔑');
  });
  it('does not decrypt a value in another row or column', () => {
    expect(() => cipher.open(cipher.seal('x', 'a/1/b'), 'a/2/b')).toThrow();
    expect(() => cipher.open(cipher.seal('x', 'a/1/b'), 'a/1/c')).toThrow();
  });
  it('does not decrypt with another key, nor a value with one changed bit', () => {
    const sealed = cipher.seal('x', 'a');
    expect(() => createCipher(randomBytes(32)).open(sealed, 'a')).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Uint8Array.from(sealed);
      changed[index]! ^= 1;
      expect(() => cipher.open(changed, 'a')).toThrow();
    }
  });
  it('returns different bytes for each encryption of the same value', () => {
    expect(cipher.seal('x', 'a')).not.toEqual(cipher.seal('x', 'a'));
  });
});

describe('sameSecret', () => {
  it('compares secrets of equal and different lengths', () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    expect(sameSecret('abc', 'abd')).toBe(false);
    expect(sameSecret('abc', 'abcd')).toBe(false);
  });
});
