import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';

/** Keyed hash that stands for an address or a patient in codes, counters and locks. */
export const personKey = (ctx: Context, person: string): string =>
  keyedHash(ctx, 'identity/person', ctx.tenantId, person).toString('base64url');

/**
 * Returns the mailbox of an address. The part after a + only sorts mail (RFC 5233); without this, an attacker could
 * send one mailbox any number of messages under invented names.
 */
export const mailboxOf = (address: string): string => address.replace(/^([^@+]+)\+[^@]*@/, '$1@');

/**
 * A person on one device or in one session: state under this key cannot be overwritten or used up by others who name
 * the same address.
 */
export const personAt = (person: string, secret: string): string => `${person}\n${secret}`;

export { lockPerson } from '#server/core/lock-person.ts';

/** The key by which a staff email leads to its tenants. */
export const staffRoute = (email: string): string => `staff:${email.toLowerCase()}`;
