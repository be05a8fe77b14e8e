import { readSearch } from '../read-docs.ts';

export const dynamic = 'force-dynamic';

/** The search index, the same for all readers. */
export function GET(): Response {
  return new Response(readSearch(), { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
}
