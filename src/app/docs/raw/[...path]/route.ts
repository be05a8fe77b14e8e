import { pageText } from '#web/docs/page-text.ts';
import { pageAt, readDocs } from '../../read-docs.ts';

type Props = { params: Promise<{ path: string[] }> };

/** The Markdown version of a docs page, which `/docs/….md` is rewritten to. It has no user-specific content. */
export async function GET(_request: Request, { params }: Props): Promise<Response> {
  const path = `/${(await params).path.join('/')}`;
  const page = pageAt(readDocs(), path);
  return page
    ? new Response(pageText(page), {
        headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
      })
    : new Response('There is no such page.\n', {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      });
}
