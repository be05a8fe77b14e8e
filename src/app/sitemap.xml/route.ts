import { sitemapText } from '#web/docs/page-text.ts';
import { readDocs } from '../docs/read-docs.ts';

export const dynamic = 'force-dynamic';

/** The sitemap of the docs; all other pages are private. */
export function GET(): Response {
  const { pages, origin } = readDocs();
  return new Response(sitemapText(pages, origin), {
    headers: { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'no-store' },
  });
}
