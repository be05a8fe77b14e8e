import { permissionsPolicy } from './answer-headers.ts';
import type { Door } from './wire.ts';

const LINK = /^\/visit\/([\w.-]{1,200})$/;

/** Paths below `/visit/` that are pages, not tokens. */
export const VISIT_PAGES: ReadonlySet<string> = new Set(['/visit/test', '/visit/privacy']);

/**
 * Redirects old visit links, which had the token in the path, to the current form with the token in the fragment, which
 * browsers do not send. Any other path leads to the page, which reports an incomplete link.
 */
export const createFormerVisitLinksDoor = (): Door => async (request) => {
  const token = LINK.exec(request.path)?.[1];
  const location = token ? `/visit#${token}` : '/visit';
  const headers = {
    location,
    'cache-control': 'no-store',
    // As on the page: the path holds the token, which must not reach other sites.
    'referrer-policy': 'no-referrer',
    'permissions-policy': permissionsPolicy(true),
  };
  return { status: 303, headers, body: null };
};
