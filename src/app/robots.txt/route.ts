import { services } from '#server/http/services.ts';
import { robotsText } from '#web/docs/page-text.ts';

export const dynamic = 'force-dynamic';

/** The robots.txt: permits the docs only. */
export function GET(): Response {
  return new Response(robotsText(services().config.publicUrl), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}
