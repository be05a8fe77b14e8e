import { keyedHash } from '#server/core/keyed-hash.ts';
import type { Context } from '../../../core/context.ts';

/** What is kept of a recovery code, however it is spaced and spelt. */
export const recoveryCodeHash = (ctx: Context, userId: string, code: string): string =>
  keyedHash(ctx, 'recovery-codes', ctx.tenantId, userId, code.toLowerCase().replace(/[^a-z0-9]/g, '')).toString(
    'base64url',
  );
