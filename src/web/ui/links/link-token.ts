'use client';
import { forget, keep, readKept } from '../tab-memory.ts';

/** The pages whose link has its token in the fragment. */
export type LinkPage = 'checkout' | 'choices' | 'manage' | 'undo' | 'confirm-email' | 'visit';
const keyOf = (page: LinkPage): string => `${page}-link`;
const passOf = (page: LinkPage): string => `${page}-pass`;

/**
 * The link's token: out of the fragment, which is then wiped from the address bar and the history. The tab keeps it, so
 * that a reload, or the way back from a bank's page, finds it again.
 */
export function takeLinkToken(page: LinkPage): string | null {
  const [token = '', pass] = window.location.hash.slice(1).split('~').reverse();
  if (token) {
    keep(keyOf(page), token);
    if (pass) keep(passOf(page), pass);
    else forget(passOf(page));
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return token || readKept(keyOf(page));
}

/** What stood before the token, which says that whoever opens the link was signed in; null without. */
export const keptPass = (page: LinkPage): string | null => readKept(passOf(page));

/** A token as links have it: whose clinic it is, and what opens it. */
const TOKEN = /^[\w-]+\.[\w-]+$/;

/** Whether a link's token stands in the address; there may be something before it. */
export const isLinkFragment = (hash: string): boolean => TOKEN.test(inFragment(hash));
const inFragment = (hash: string): string => hash.slice(1).split('~').at(-1) ?? '';

/**
 * The token of whatever link this page was opened by, which is left where it is: a page that takes it does so after it
 * was drawn, and this is asked while it is drawn. Null where the address has none.
 */
export function seeLinkToken(): string | null {
  const { hash, pathname } = window.location;
  const [, page = '', inPath = ''] = /^\/([^/]+)\/?([^/]*)$/.exec(pathname) ?? [];
  const kept = readKept(keyOf(page as LinkPage)) ?? '';
  // An invitation has what an app needs before it.
  return [inFragment(hash), inPath, kept].find((text) => TOKEN.test(text)) ?? null;
}
