import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
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

/** One step at a time for each person, so that two sign-ups make one patient and sends are counted. */
export async function lockPerson(tx: Tx, person: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`person:${person}`}, 0))`;
}
