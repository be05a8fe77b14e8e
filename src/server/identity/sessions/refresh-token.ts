import type { Context } from '../../core/context.ts';
import { tokenOfTenant } from '../../core/ids.ts';
import { keyedHash } from '../../core/keyed-hash.ts';

/** The first refresh token of a session: 256 bits, derived so that a repeated sign-in step returns the same token. */
export const firstRefreshToken = (ctx: Context, sessionId: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/first', sessionId).toString('base64url'));

/**
 * The successor of a refresh token. It is derived from its predecessor, so a client that lost a race gets the winner's
 * result without the server storing it.
 */
export const nextRefreshToken = (ctx: Context, token: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/next', token).toString('base64url'));
