'use client';
/** The pages whose link has its token in the fragment. */
type Page = 'checkout' | 'undo' | 'confirm-email';
const keyOf = (page: Page): string => `${page}-link`;

/**
 * The link's token: out of the fragment, which is then wiped from the address bar and the history. The tab keeps it, so
 * that a reload, or the way back from a bank's page, finds it again.
 */
export function takeLinkToken(page: Page): string | null {
  const token = window.location.hash.slice(1);
  if (token) {
    window.sessionStorage.setItem(keyOf(page), token);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return token || window.sessionStorage.getItem(keyOf(page));
}

export const forgetLinkToken = (page: Page): void => window.sessionStorage.removeItem(keyOf(page));
