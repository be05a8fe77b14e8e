import type { Context } from '../../core/context.ts';
import { keyedHash } from '../keyed-hash.ts';

/** What is kept of a code. Keyed, for a million codes are soon tried. */
export const codeHash = (ctx: Context, codeId: string, code: string): string =>
  keyedHash(ctx, 'one-time-codes', codeId, code).toString('base64url');
