import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';

/** Stands for an address or a patient where neither may be read: in codes, counters and locks. */
export const personKey = (ctx: Context, person: string): string =>
  keyedHash(ctx, 'identity/person', ctx.tenantId, person).toString('base64url');

/**
 * Somebody on one device, or in one session: what is kept under this is nobody else's to overwrite or to use up, who may
 * name the same address.
 */
export const personAt = (person: string, secret: string): string => `${person}\n${secret}`;
