import { permissionsPolicy } from './answer-headers.ts';
import type { Door } from './wire.ts';

const LINK = /^\/visit\/([\w.-]{1,200})$/;

/** Beside them stand pages of ours. */
export const VISIT_PAGES: ReadonlySet<string> = new Set(['/visit/test', '/visit/privacy']);

/**
 * Links of visits that were sent while the token stood in the path go on to where it stands now, behind a mark that browsers
 * keep to themselves. Anything else below goes to the page, which says that the link is not complete.
 */
export const createFormerVisitLinksDoor = (): Door => async (request) => {
  const token = LINK.exec(request.path)?.[1];
  const location = token ? `/visit#${token}` : '/visit';
  const headers = {
    location,
    'cache-control': 'no-store',
    // As the page itself: what stands in this path is told to nobody.
    'referrer-policy': 'no-referrer',
    'permissions-policy': permissionsPolicy(true),
  };
  return { status: 303, headers, body: null };
};
