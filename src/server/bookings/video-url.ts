import type { Context } from '#server/core/context.ts';
import { tenantOfToken } from '#server/core/ids.ts';

/** Whether visits take place on a page of ours, and not on one that the clinic brings. */
export const isOwnRoom = ({ config }: { config: Pick<Context['config'], 'publicUrl' | 'videoBaseUrl'> }): boolean =>
  config.videoBaseUrl === `${config.publicUrl}/visit`;

/**
 * Where a visit's link leads. On our own page the token stands behind the mark that browsers keep to themselves, so that
 * no log, proxy or page that is gone to has it; another's page has it in the path.
 */
export const videoUrl = (ctx: Pick<Context, 'config'>, videoToken: string): string =>
  `${ctx.config.videoBaseUrl}${isOwnRoom(ctx) ? '#' : '/'}${videoToken}`;

const LINK = /^https?:\/\/\S+[/#]([\w-]{22}\.[\w-]{32})$/;

/** The token of a clinic's visit that a link has, as it is made now or was made before; null for any other text. */
export function tokenOfLink(text: string | null, tenantId: string): string | null {
  const token = text === null ? undefined : LINK.exec(text)?.[1];
  return token && tenantOfToken(token) === tenantId ? token : null;
}
