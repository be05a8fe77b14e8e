import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';

/** What is kept of a code. Keyed, for a million codes are soon tried. */
export const codeHash = (ctx: Context, codeId: string, code: string): string =>
  keyedHash(ctx, 'one-time-codes', codeId, code).toString('base64url');
