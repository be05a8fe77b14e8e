import { randomBytes } from 'node:crypto';

/** UUIDv7 (RFC 9562 §5.7): 48 bits of unix milliseconds, then random; ids made later sort later. */
export function newId(now: Date = new Date()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
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
