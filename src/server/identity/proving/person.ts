import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';

/** Stands for an address or a patient where neither may be read: in codes, counters and locks. */
export const personKey = (ctx: Context, person: string): string =>
  keyedHash(ctx, 'identity/person', ctx.tenantId, person).toString('base64url');

/**
 * Where messages to an address arrive. What follows a + in a name only sorts them (RFC 5233): without this, somebody could
 * send one mailbox as much as they like under names that they make up.
 */
export const mailboxOf = (address: string): string => address.replace(/^([^@+]+)\+[^@]*@/, '$1@');

/**
 * Somebody on one device, or in one session: what is kept under this is nobody else's to overwrite or to use up, who may
 * name the same address.
 */
export const personAt = (person: string, secret: string): string => `${person}\n${secret}`;

export { lockPerson } from '#server/core/lock-person.ts';
