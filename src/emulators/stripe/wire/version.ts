/** The only supported API version; requests and endpoints with another version are rejected. */
export const API_VERSION = '2026-10-28.endive';
