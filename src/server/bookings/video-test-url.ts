import type { Context } from '#server/core/context.ts';
import { isOwnRoom } from './video-url.ts';

/**
 * Where a patient tries out camera and line before a visit; the token stands in the fragment, which no server or log sees.
 * Null where visits take place on another's page.
 */
export const videoTestUrl = (
  ctx: { config: Pick<Context['config'], 'publicUrl' | 'videoBaseUrl'> },
  videoToken: string,
): string | null => (isOwnRoom(ctx) ? `${ctx.config.publicUrl}/visit/test#${videoToken}` : null);
