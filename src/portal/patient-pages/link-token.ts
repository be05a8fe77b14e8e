'use client';
/** The pages whose link has its token in the fragment. */
export type LinkPage = 'checkout' | 'undo' | 'confirm-email';
const keyOf = (page: LinkPage): string => `${page}-link`;

/**
 * The link's token: out of the fragment, which is then wiped from the address bar and the history. The tab keeps it, so
 * that a reload, or the way back from a bank's page, finds it again.
 */
export function takeLinkToken(page: LinkPage): string | null {
  const token = window.location.hash.slice(1);
  if (token) {
    window.sessionStorage.setItem(keyOf(page), token);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return token || window.sessionStorage.getItem(keyOf(page));
}

export const forgetLinkToken = (page: LinkPage): void => window.sessionStorage.removeItem(keyOf(page));

/** A token as links have it: whose clinic it is, and what opens it. */
const TOKEN = /^[\w-]+\.[\w-]+$/;

/**
 * The token of whatever link this page was opened by, which is left where it is: a page that takes it does so after it
 * was drawn, and this is asked while it is drawn. Null where the address has none.
 */
export function seeLinkToken(): string | null {
  const { hash, pathname } = window.location;
  const [, page = '', inPath = ''] = /^\/([^/]+)\/?([^/]*)$/.exec(pathname) ?? [];
  // An invitation has what an app needs before it.
  const inFragment = hash.slice(1).split('~').at(-1) ?? '';
  const kept = window.sessionStorage.getItem(keyOf(page as LinkPage)) ?? '';
  return [inFragment, inPath, kept].find((text) => TOKEN.test(text)) ?? null;
}
