/** What our own pages send with everything that changes something, and another website's form cannot. */
export const PORTAL_HEADERS = { 'x-carelane-portal': '1' };
