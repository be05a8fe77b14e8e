import { deviceStorage } from './steps/storage.ts';

export type Tokens = { passwordless: string; credentials: string };

const NAME = 'tokens';

/**
 * Reads the tokens from the URL's fragment, or else the stored ones. A fragment is removed from the address bar once it
 * is stored.
 */
export function readTokens(): Tokens | null {
  const given = new URLSearchParams(window.location.hash.slice(1));
  const [passwordless, credentials] = [given.get('passwordless'), given.get('credentials')];
  if (passwordless && credentials) {
    const tokens = { passwordless, credentials };
    if (storeTokens(tokens)) clearFragment();
    return tokens;
  }
  try {
    return JSON.parse(deviceStorage.read(NAME) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Rejects tokens of another origin: the content security policy only allows requests to this page's own origin.
 * @throws Error with the address of the other playground
 */
export function assertSameOrigin({ passwordless }: Tokens): void {
  const [, encoded = ''] = /^care_[a-z]+_([\w-]+)$/.exec(passwordless.trim()) ?? [];
  const { api } = JSON.parse(atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))) as { api: string };
  const { origin } = new URL(api);
  if (origin === window.location.origin) return;
  const message = `These tokens are of ${origin}. Open the playground there: ${origin}/playground`;
  throw Object.assign(new Error(message), { code: 'other_address' });
}

/** @returns whether a reload will find them */
export const storeTokens = (tokens: Tokens): boolean => deviceStorage.write(NAME, JSON.stringify(tokens));

export function clearTokens(): void {
  deviceStorage.remove(NAME);
  clearFragment();
}

const clearFragment = () =>
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
