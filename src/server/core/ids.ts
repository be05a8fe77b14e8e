import { randomBytes } from 'node:crypto';

/** How many ids of one millisecond can follow each other in order. */
const IN_ORDER = 0xfff;
let newest = { ms: 0, turn: 0 };

/**
 * UUIDv7 (RFC 9562 §5.7): 48 bits of unix milliseconds, 12 that count up within one of them, then 62 random ones. What a
 * process makes later sorts later (§6.2, method 1).
 */
export function newId(now: Date = new Date()): string {
  const ms = now.getTime();
  const bytes = randomBytes(16);
  // The count begins in the lower half, so that there is room for as many again.
  const first = bytes.readUInt16BE(6) & (IN_ORDER >> 1);
  newest = { ms, turn: ms === newest.ms ? Math.min(newest.turn + 1, IN_ORDER) : first };
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | newest.turn, 6);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (value: string): boolean => UUID.test(value);

/** A tenant that cannot be. Looking there for somebody unknown costs the same as looking in the right place. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/** The unix milliseconds a UUIDv7 was made at. */
export const idTime = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** An unguessable URL-safe token of `bytes` random bytes. */
export const newToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** `{tenant id in base64url}.{random}`: the token names its tenant, so that no query runs without one. */
export const tokenOfTenant = (tenantId: string, random: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${random}`;

/** A token for a link that is opened without signing in: it names its tenant, then 192 unguessable bits. */
export const newLinkToken = (tenantId: string): string => tokenOfTenant(tenantId, newToken(24));

/** The tenant that such a token names, or null when it is not shaped like one. */
export function tenantOfToken(token: string): string | null {
  const [tenant, random, ...rest] = token.split('.');
  if (!tenant || !random || rest.length > 0) return null;
  const hex = Buffer.from(tenant, 'base64url').toString('hex');
  if (hex.length !== 32) return null;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
