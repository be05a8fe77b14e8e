import { isLocalOrigin } from '#contract/websites.ts';
import type { Context } from '../core/context.ts';
import { apiError } from '../core/errors.ts';

/**
 * Requires the pages that a provider redirects to to be on the organisation's allowed origins or our portal; in a
 * sandbox also on the developer's machine, as for API requests and invitations.
 * @throws `invalid_parameter` (422) with the first field that leads elsewhere
 */
export async function assertAllowedPages(ctx: Context, pages: Record<string, string | undefined>): Promise<void> {
  for (const [field, address] of Object.entries(pages)) {
    if (address === undefined) continue;
    const origin = originOf(address);
    const isOurs = origin !== null && (origin === originOf(ctx.config.publicUrl) || isLocalInSandbox(ctx, origin));
    const where = { tenantId: ctx.tenantId, key: `origin:${origin}` };
    if (!isOurs && (origin === null || (await ctx.db.tenantRoute.count({ where })) === 0))
      throw apiError('invalid_parameter', `"${field}" has to be on one of the organisation's allowed origins.`, {
        source: { pointer: `/${field}` },
      });
  }
}

const isLocalInSandbox = ({ config }: Context, origin: string): boolean =>
  config.environment === 'sandbox' && isLocalOrigin(origin);

function originOf(text: string): string | null {
  // Browsers treat these as a slash or drop them, and providers may read them differently.
  if (/[\\\t\r\n]/.test(text)) return null;
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username || url.password) return null;
  return url.origin;
}
