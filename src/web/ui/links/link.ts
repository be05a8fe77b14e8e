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
  const stored = readTabValue(keyOf(page as LinkPage)) ?? '';
  // In an invitation, the part that an app needs precedes the token.
  return [inFragment(hash), inPath, stored].find((text) => TOKEN.test(text)) ?? null;
}

/**
 * Calls a step of a page that is opened from a link; the token is the only credential. Rejects with the API's error
 * envelope under `data`.
 */
export async function callLinkApi<View>(step: string, token: string, input: object = {}): Promise<View> {
  const response = await fetch(`/api/links/${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...input }),
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: body });
  return body as View;
}

const POLL_DELAYS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/** Opens a link's page until its state is settled; returns the last state when that takes too long. */
export async function pollLink<View>(open: () => Promise<View>, isSettled: (view: View) => boolean): Promise<View> {
  let view = await open();
  for (const delay of POLL_DELAYS_MS) {
    if (isSettled(view)) return view;
    await new Promise((resolve) => setTimeout(resolve, delay));
    view = await open();
  }
  return view;
}
