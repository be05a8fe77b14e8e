import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isLinkFragment, peekLinkToken, storedPass, takeLinkToken } from './link.ts';

const location = { hash: '', pathname: '/visit' };
const blocked = {
  get sessionStorage(): Storage {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  },
};

function open(storage: object): void {
  const history = {
    state: null,
    replaceState() {
      location.hash = '';
    },
  };
  vi.stubGlobal('window', Object.defineProperties({ location, history }, Object.getOwnPropertyDescriptors(storage)));
}

beforeEach(() => {
  location.hash = '#tenant.token';
});
afterEach(() => vi.unstubAllGlobals());

test('reads and remembers the token when the browser blocks session storage', () => {
  open(blocked);
  expect(takeLinkToken('visit')).toBe('tenant.token');
  expect(location.hash, 'the token is removed from the address').toBe('');
  expect(takeLinkToken('visit'), 'the page can take the token again').toBe('tenant.token');
  expect(peekLinkToken()).toBe('tenant.token');
});

test('stores the pass before the token, and removes it when a link without a pass is opened', () => {
  open(blocked);
  location.hash = '#1764000000.x~tenant.token';
  expect([takeLinkToken('visit'), storedPass('visit')]).toEqual(['tenant.token', '1764000000.x']);
  location.hash = '#tenant.token';
  expect([takeLinkToken('visit'), storedPass('visit')]).toEqual(['tenant.token', null]);
});

test('finds the token after a reload when session storage works', () => {
  const stored = new Map<string, string>();
  const sessionStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  open({ sessionStorage });
  takeLinkToken('visit');
  expect([...stored.values()]).toEqual(['tenant.token']);
  expect(takeLinkToken('visit')).toBe('tenant.token');
});

test('distinguishes a link token from a page anchor', () => {
  for (const hash of ['#tenant.token', '#1764000000.x~tenant.token']) expect(isLinkFragment(hash)).toBe(true);
  for (const hash of ['', '#', '#main', '#tenant.token/more']) expect(isLinkFragment(hash)).toBe(false);
});
