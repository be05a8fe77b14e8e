import { llmsText } from '#web/docs/page-text.ts';
import { readDocs } from '../docs/read-docs.ts';

export const dynamic = 'force-dynamic';

/**
 * The index of the docs for language models.
 * @see https://llmstxt.org
 */
export function GET(): Response {
  const { pages, origin, baseUrl } = readDocs();
  return new Response(llmsText(pages, origin, baseUrl), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}
