import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** The number of ids of one millisecond that sort in order. */
const IN_ORDER = 0xfff;
let newest = { ms: 0, turn: 0 };

/**
 * Returns a UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit counter within the millisecond, 62 random
 * bits. Ids of one process sort in order of creation (§6.2, method 1).
 */
export function newId(now: Date = new Date()): string {
  const ms = now.getTime();
  // Node draws the randomness of many UUIDs at once; the last 64 bits keep the variant.
  const random = randomUUID();
  // The counter starts in the lower half, which leaves room for as many again.
  const first = Number.parseInt(random.slice(0, 3), 16) & (IN_ORDER >> 1);
  newest = { ms, turn: ms === newest.ms ? Math.min(newest.turn + 1, IN_ORDER) : first };
  const time = ms.toString(16).padStart(12, '0');
  const turn = newest.turn.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${turn}${random.slice(18)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (value: string): boolean => UUID.test(value);

/** An impossible tenant id. A lookup there for an unknown name costs the same as one in the right tenant. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/** Returns the Unix milliseconds of a UUIDv7. */
export const idTime = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** Returns an unguessable URL-safe token of `bytes` random bytes. */
export const newToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** Returns `{tenant id in base64url}.{random}`: the token names its tenant, so that every query has a tenant scope. */
export const tokenOfTenant = (tenantId: string, random: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${random}`;

/** Returns a token for a link that needs no sign-in: its tenant and 192 random bits. */
export const newLinkToken = (tenantId: string): string => tokenOfTenant(tenantId, newToken(24));

/** Returns the tenant that a link token names, or null when the format is wrong. */
export function tenantOfToken(token: string): string | null {
  const [tenant, random, ...rest] = token.split('.');
  if (!tenant || !random || rest.length > 0) return null;
  const hex = Buffer.from(tenant, 'base64url').toString('hex');
  if (hex.length !== 32) return null;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUP_LENGTH = 4;

/** Returns a code with some 20 bits per group, easy to type from an email or paper: `k7mw-2hxe-r9pd`. */
export function readableCode(groups: number): string {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)];
  const group = () => Array.from({ length: GROUP_LENGTH }, letter).join('');
  return Array.from({ length: groups }, group).join('-');
}
