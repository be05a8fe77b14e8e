/** The one API version spoken here; requests and endpoints that ask for another are refused. */
export const API_VERSION = '2026-10-28.endive';
