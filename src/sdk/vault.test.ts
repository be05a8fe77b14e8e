import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { passwordless, user } from './node.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { type AuthStorage, browserStorage, memoryStorage, openVault } from './vault.ts';

const full = () => {
  throw new DOMException('full', 'QuotaExceededError');
};
const denied: AuthStorage = { getItem: full, setItem: full, removeItem: full };

/** A storage with room for `limit` characters in total, which only a removal frees. */
function tightStorage(limit: number): AuthStorage {
  const inner = memoryStorage();
  let used = 0;
  return {
    getItem: inner.getItem,
    setItem(key, value) {
      if (used + value.length > limit) full();
      used += value.length;
      inner.setItem(key, value);
    },
    removeItem(key) {
      used = 0;
      inner.removeItem(key);
    },
  };
}

describe('openVault()', () => {
  test('stores its entry in the storage, which may be asynchronous', async () => {
    const inner = memoryStorage();
    const slow: AuthStorage = {
      getItem: async (key) => inner.getItem(key),
      setItem: async (key, value) => inner.setItem(key, value),
      removeItem: async (key) => inner.removeItem(key),
    };
    await openVault(slow, 'a').update(() => 'one');
    expect(await openVault(slow, 'a').read()).toBe('one');
    expect(await openVault(slow, 'b').read()).toBeNull();
    await openVault(slow, 'a').update(() => null);
    expect(await openVault(slow, 'a').read()).toBeNull();
  });

  test('uses the room of the old entry for the new one', async () => {
    const storage = tightStorage(10);
    await openVault(storage, 'a').update(() => '12345678');
    await openVault(storage, 'a').update(() => 'abcdefgh');
    expect(await openVault(storage, 'a').read()).toBe('abcdefgh');
  });

  test('falls back to memory without room, and removes the old entry', async () => {
    const storage = tightStorage(10);
    const vault = openVault(storage, 'a');
    await vault.update(() => 'old');
    await vault.update(() => 'much too long for it');
    expect(await vault.read()).toBe('much too long for it');
    expect(await storage.getItem('a')).toBeNull();
    vault.forget();
    expect(await vault.read()).toBeNull();
    await vault.update(() => 'short');
    expect(await storage.getItem('a')).toBe('short');
  });

  test('serialises changes, also after a failed one', async () => {
    const inner = memoryStorage();
    const slow: AuthStorage = { ...inner, getItem: async (key) => inner.getItem(key) };
    const vault = openVault(slow, 'a');
    const add = (before: string | null) => `${before ?? ''}x`;
    const failing = vault.update(() => {
      throw new Error('mine');
    });
    await Promise.all([
      expect(failing).rejects.toThrow('mine'),
      ...Array.from({ length: 20 }, () => vault.update(add)),
    ]);
    expect(await vault.read()).toBe('x'.repeat(20));
  });

  test('works in memory when the storage denies access', async () => {
    const vault = openVault(denied, 'a');
    expect(await vault.read()).toBeNull();
    await vault.update(() => 'one');
    expect(await vault.read()).toBe('one');
    await vault.update(() => null);
    expect(await vault.read()).toBeNull();
  });
});

test('browserStorage() returns null when the browser denies access to localStorage', () => {
  expect(browserStorage()).toBeNull();
  vi.stubGlobal('window', {
    get localStorage() {
      return full();
    },
  });
  expect(browserStorage()).toBeNull();
  vi.unstubAllGlobals();
});

describe('signing in', () => {
  let identity: FakeIdentity;
  beforeAll(async () => {
    identity = await startFakeIdentity();
    identity.add({ phone: '+12025550123', isConfirmed: true });
  });
  afterAll(() => identity.close());

  const signIn = async (storage: AuthStorage) => {
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
  };

  test.each([
    ['denied', denied],
    ['full', tightStorage(0)],
  ])('with a storage that is %s lasts as long as the page', async (_, storage) => {
    await signIn(storage);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
    await user.signOut();
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('survives a reload; an invalid entry counts as not signed in', async () => {
    const storage = memoryStorage();
    await signIn(storage);
    const token = await user.getAccessToken();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    expect(await user.getAccessToken()).toBe(token);
    for (const entry of ['', 'null', '{', '7', '[]', '{"v":2}', '{"v":1}', '"x"']) {
      await storage.setItem('carelane.session.sandbox.tenant-1', entry);
      await expect(user.getAccessToken(), entry).rejects.toMatchObject({ code: 'not_signed_in' });
    }
  });
});
