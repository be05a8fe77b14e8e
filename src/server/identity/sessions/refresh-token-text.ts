import type { Context } from '../../core/context.ts';
import { tokenOfTenant } from '../../core/ids.ts';
import { keyedHash } from '../../core/keyed-hash.ts';

/** The first refresh token of a session: 256 bits, derived so that a repeated sign-in step can be answered alike. */
export const firstRefreshToken = (ctx: Context, sessionId: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/first', sessionId).toString('base64url'));

/**
 * The one that follows. Whoever lost a race for it holds the token before it, so the winner's result can be told again
 * without keeping it anywhere.
 */
export const nextRefreshToken = (ctx: Context, token: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/next', token).toString('base64url'));
