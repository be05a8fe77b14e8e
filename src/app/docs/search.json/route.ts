import { readSearch } from '../read-docs.ts';

export const dynamic = 'force-dynamic';

/** What the docs' search looks through, the same for everybody. */
export function GET(): Response {
  return new Response(readSearch(), { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
}
