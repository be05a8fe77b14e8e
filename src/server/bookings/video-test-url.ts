import type { Context } from '#server/core/context.ts';
import { isOwnRoom } from './video-url.ts';

/**
 * Returns the URL where a patient tests camera and connection before an appointment, or null with an external video
 * page. The token is in the fragment, which no server or log sees.
 */
export const videoTestUrl = (
  ctx: { config: Pick<Context['config'], 'publicUrl' | 'videoBaseUrl'> },
  videoToken: string,
): string | null => (isOwnRoom(ctx) ? `${ctx.config.publicUrl}/visit/test#${videoToken}` : null);
