/** The path to go to after signing in: one of our own pages, never another site, whatever the address bar says. */
export function safeReturnPath(wanted: string | string[] | undefined): string {
  if (typeof wanted !== 'string') return '/';
  try {
    const origin = 'https://portal.invalid';
    const url = new URL(wanted, origin);
    // An absolute address of our own is fine too; only its path is kept.
    const path = url.pathname + url.search;
    return path.startsWith('//') || path.startsWith('/sign-in') ? '/' : path;
  } catch {
    return '/';
  }
}
