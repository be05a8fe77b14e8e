/** Path to open after sign-in: always a page of the portal, never another site, for any value in the URL. */
export function safeReturnPath(requested: string | string[] | undefined): string {
  if (typeof requested !== 'string') return '/';
  try {
    const origin = 'https://portal.invalid';
    const url = new URL(requested, origin);
    // An absolute URL is accepted as well, but only its path is used.
    const path = url.pathname + url.search;
    return path.startsWith('//') || path.startsWith('/sign-in') ? '/' : path;
  } catch {
    return '/';
  }
}
