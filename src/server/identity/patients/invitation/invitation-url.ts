import type { Context } from '#server/core/context.ts';
import { configurationToken } from '../../applications/configuration-token.ts';

/** The page that completes an invitation; the fragment configures its SDK, and never reaches a server's log. */
export const invitationUrl = (ctx: Context, clientId: string): string =>
  `${ctx.config.publicUrl}/invitation#${configurationToken(ctx, 'credentials', clientId)}`;
