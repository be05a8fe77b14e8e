export const MAX_ORIGINS = 20;
const LOCAL = /^https?:\/\/(([a-z0-9-]+\.)*localhost\.?|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/**
 * Origins of apps in a Capacitor or Ionic shell, on every phone; links cannot lead there. All such apps share these
 * origins, so listing one does not exclude another clinic's app. The API uses no cookies, so an origin alone gives no
 * access.
 */
export const APP_SHELLS = ['capacitor://localhost', 'ionic://localhost'];

/** Whether an `Origin` belongs to a page on the user's own machine (RFC 6761 §6.3 for the names). */
export const isLocalOrigin = (origin: string): boolean => LOCAL.test(origin);

/** Whether a page is on one of the tenant's own websites; a sandbox also accepts the developer's machine. */
export function isOnWebsite(address: string, origins: string[], environment: 'sandbox' | 'production'): boolean {
  const { origin } = new URL(address);
  return origins.includes(origin) || (environment === 'sandbox' && isLocalOrigin(origin));
}
