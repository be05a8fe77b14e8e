export const MAX_ORIGINS = 20;
const LOCAL = /^https?:\/\/(([a-z0-9-]+\.)*localhost\.?|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/**
 * Where the pages of an app that Capacitor or Ionic wraps come from, on every phone; no link leads there. All such apps
 * share these origins, so listing one does not keep out another clinic's app. The API uses no cookies, so an origin
 * alone gives no access.
 */
export const APP_SHELLS = ['capacitor://localhost', 'ionic://localhost'];

/** Whether a browser's `Origin` is a page that was served by the reader's own machine (RFC 6761 §6.3 for the names). */
export const isLocalOrigin = (origin: string): boolean => LOCAL.test(origin);

/** Whether a page is one of the tenant's own websites; in a sandbox those of the developer's machine are. */
export function isOnWebsite(address: string, origins: string[], environment: 'sandbox' | 'production'): boolean {
  const { origin } = new URL(address);
  return origins.includes(origin) || (environment === 'sandbox' && isLocalOrigin(origin));
}
