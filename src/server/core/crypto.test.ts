import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCipher, sameSecret } from './crypto.ts';

describe('a sealed column', () => {
  const cipher = createCipher(randomBytes(32));

  it('opens to what was sealed', () => {
    expect(cipher.open(cipher.seal('clé 🔑', 'a/1/b'), 'a/1/b')).toBe('clé 🔑');
  });
  it('does not open in another row or column', () => {
    expect(() => cipher.open(cipher.seal('x', 'a/1/b'), 'a/2/b')).toThrow();
    expect(() => cipher.open(cipher.seal('x', 'a/1/b'), 'a/1/c')).toThrow();
  });
  it('does not open with another key, or changed by one bit', () => {
    const sealed = cipher.seal('x', 'a');
    expect(() => createCipher(randomBytes(32)).open(sealed, 'a')).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Uint8Array.from(sealed);
      changed[index]! ^= 1;
      expect(() => cipher.open(changed, 'a')).toThrow();
    }
  });
  it('never looks the same twice', () => {
    expect(cipher.seal('x', 'a')).not.toEqual(cipher.seal('x', 'a'));
  });
});

describe('comparing secrets', () => {
  it('tells equal from unequal, whatever the lengths', () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    expect(sameSecret('abc', 'abd')).toBe(false);
    expect(sameSecret('abc', 'abcd')).toBe(false);
  });
});
