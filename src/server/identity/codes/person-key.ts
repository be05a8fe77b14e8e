import type { Context } from '../../core/context.ts';
import { keyedHash } from '../keyed-hash.ts';

/** Stands for an address or a patient where neither may be read: in codes, counters and locks. */
export const personKey = (ctx: Context, person: string): string =>
  keyedHash(ctx, 'identity/person', ctx.tenantId, person).toString('base64url');
