/** Sent by our own pages with every request that changes data; another website's form cannot send it. */
export const PORTAL_HEADERS = { 'x-carelane-portal': '1' };
