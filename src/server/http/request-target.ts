const PAGE_METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** The path and query of a request's target, which may come as a whole address too (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** What Next would answer with a 500: the status to refuse such a request for a page with, or null. */
export function pageFault(method: string, path: string): number | null {
  if (!PAGE_METHODS.has(method)) return 405;
  if (!path.startsWith('/')) return 400;
  try {
    decodeURIComponent(path);
    return null;
  } catch {
    return 400;
  }
}
