'use client';
const KEY = 'checkout-link';

/**
 * The link's token: out of the fragment, which is then wiped from the address bar and the history. The tab keeps it, so
 * that a reload, or the way back from a bank's page, finds it again.
 */
export function takeLinkToken(): string | null {
  const token = window.location.hash.slice(1);
  if (token) {
    window.sessionStorage.setItem(KEY, token);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return token || window.sessionStorage.getItem(KEY);
}

export const forgetLinkToken = (): void => window.sessionStorage.removeItem(KEY);
