'use client';
import { readTabValue, removeTabValue, storeTabValue } from '../tab-storage.ts';

/** The pages whose link has its token in the fragment. */
export type LinkPage = 'checkout' | 'choices' | 'manage' | 'undo' | 'confirm-email' | 'visit';
const keyOf = (page: LinkPage): string => `${page}-link`;
const passOf = (page: LinkPage): string => `${page}-pass`;

/**
 * Returns the link's token and removes it from the address bar and the history. Session storage holds it for a reload,
 * or for the return from a bank's page.
 */
export function takeLinkToken(page: LinkPage): string | null {
  const [token = '', pass] = window.location.hash.slice(1).split('~').reverse();
  if (token) {
    storeTabValue(keyOf(page), token);
    if (pass) storeTabValue(passOf(page), pass);
    else removeTabValue(passOf(page));
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return token || readTabValue(keyOf(page));
}

/** The pass before the token, which proves that the link's reader was signed in; null without a pass. */
export const storedPass = (page: LinkPage): string | null => readTabValue(passOf(page));

/** The form of a link token: the tenant and the secret. */
const TOKEN = /^[\w-]+\.[\w-]+$/;

/** Returns true if the fragment holds a link token; a pass may precede it. */
export const isLinkFragment = (hash: string): boolean => TOKEN.test(inFragment(hash));
const inFragment = (hash: string): string => hash.slice(1).split('~').at(-1) ?? '';

/**
 * Returns the token of the link that opened this page, without removing it: pages take the token after their first
 * render, and this is called during it. Null without a token.
 */
export function peekLinkToken(): string | null {
  const { hash, pathname } = window.location;
  const [, page = '', inPath = ''] = /^\/([^/]+)\/?([^/]*)$/.exec(pathname) ?? [];
  const kept = readTabValue(keyOf(page as LinkPage)) ?? '';
  // In an invitation, the part that an app needs precedes the token.
  return [inFragment(hash), inPath, kept].find((text) => TOKEN.test(text)) ?? null;
}
