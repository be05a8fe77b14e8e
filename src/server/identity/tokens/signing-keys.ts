import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { MINUTE, SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import type { Prisma, Tx } from '../../core/db.ts';
import { ACCESS_TOKEN_ALGORITHM, ACCESS_TOKEN_LIFETIME } from './claims.ts';

/** Longer than any process or client uses a cached key set. */
export const PUBLISHED_AHEAD = 10 * MINUTE;
/** Allows for clock skew between processes. */
const SAFETY_MARGIN = 1 * MINUTE;

/**
 * Publishes a new key immediately and uses it after `aheadMs`. Older keys stay accepted until their last token has
 * expired; keys past that point are deleted.
 * @returns the id of the new key
 */
export async function rotateSigningKeys(services: Services, aheadMs = PUBLISHED_AHEAD): Promise<string> {
  const now = services.clock.now();
  const activeAt = new Date(now.getTime() + aheadMs);
  const retiredAt = new Date(activeAt.getTime() + ACCESS_TOKEN_LIFETIME + SAFETY_MARGIN);
  const kid = await withKeysLocked(services, async (tx) => {
    await tx.signingKey.deleteMany({ where: { retiredAt: { lt: now } } });
    await tx.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt } });
    return (await addSigningKey(tx, services, activeAt)).kid;
  });
  invalidateKeys(services);
  return kid;
}

/** How long a process uses its cached keys: shorter than a new key is published ahead of its use. */
const REREAD_AFTER = 1 * MINUTE;
/** An unknown `kid` makes a process reread the keys at most this often. */
const REREAD_FOR_UNKNOWN_AFTER = 1 * SECOND;

export type SigningKey = {
  kid: string;
  publicJwk: JWK;
  publicKey: KeyObject;
  privateKey: KeyObject;
  activeAt: Date;
  retiredAt: Date | null;
};
/** The cached keys; `readAt` is a monotonic timestamp (`performance.now()`). */
export type KeyRing = { keys: SigningKey[]; readAt: number; reading: Promise<SigningKey[]> | null };

const boundTo = (kid: string) => `signing_keys/${kid}/private_key`;

/** Returns the keys whose tokens are accepted, oldest first. A new key is included before it signs. */
export async function publishedKeys(services: Services, rereadAfter = REREAD_AFTER): Promise<SigningKey[]> {
  const ring = services.identity.ring;
  if (performance.now() - ring.readAt > rereadAfter) {
    ring.reading ??= readRing(services, ring).finally(() => {
      ring.reading = null;
    });
    await ring.reading;
  }
  const now = services.clock.now();
  return ring.keys.filter((key) => key.retiredAt === null || key.retiredAt > now);
}

/** Returns the key that signs now: the newest active key. */
export async function currentKey(services: Services): Promise<SigningKey> {
  const keys = await publishedKeys(services);
  const now = services.clock.now();
  const key = keys.findLast(({ activeAt }) => activeAt <= now) ?? keys[0];
  if (!key) throw new Error('no signing key is in use');
  return key;
}

export async function findKey(services: Services, kid: string | undefined): Promise<SigningKey | null> {
  const match = (keys: SigningKey[]) => keys.find((key) => key.kid === kid) ?? null;
  return match(await publishedKeys(services)) ?? match(await publishedKeys(services, REREAD_FOR_UNKNOWN_AFTER));
}

/** Invalidates the cached keys in this process after a rotation; other processes notice within a minute. */
export function invalidateKeys(services: Services): void {
  services.identity.ring.readAt = Number.NEGATIVE_INFINITY;
}

async function readRing(services: Services, ring: KeyRing): Promise<SigningKey[]> {
  const startedAt = performance.now();
  const order = { orderBy: { activeAt: 'asc' } } as const;
  let rows = await services.database.system.signingKey.findMany(order);
  if (rows.length === 0)
    rows = await withKeysLocked(services, async (tx) => {
      const existing = await tx.signingKey.findMany(order);
      return existing.length > 0 ? existing : [await addSigningKey(tx, services, services.clock.now())];
    });
  ring.keys = rows.map((row) => {
    const publicJwk = row.publicJwk as JWK;
    return {
      kid: row.kid,
      publicJwk,
      publicKey: createPublicKey({ key: publicJwk as Record<string, string>, format: 'jwk' }),
      privateKey: createPrivateKey(services.cipher.open(row.privateKey, boundTo(row.kid))),
      activeAt: row.activeAt,
      retiredAt: row.retiredAt,
    };
  });
  ring.readAt = startedAt;
  return ring.keys;
}

/** Serializes creation and retirement of keys across processes. */
export function withKeysLocked<T>(services: Services, change: (tx: Tx) => Promise<T>): Promise<T> {
  return services.database.system.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('signing_keys', 0))`;
    return change(tx);
  });
}

/** Creates an ES256 key (P-256) that signs from `activeAt`; its private half is stored encrypted. */
export async function addSigningKey(tx: Tx, services: Services, activeAt: Date) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const publicJwk = { ...jwk, kid, use: 'sig', alg: ACCESS_TOKEN_ALGORITHM };
  const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  return tx.signingKey.create({
    data: {
      kid,
      publicJwk: publicJwk as Prisma.InputJsonObject,
      privateKey: services.cipher.seal(pem, boundTo(kid)),
      activeAt,
      createdAt: services.clock.now(),
    },
  });
}
