import { createHmac } from 'node:crypto';
import type { Services } from './context.ts';
import { perDatabase } from './per-database.ts';

const keysOf = perDatabase(() => new Map<string, Buffer>());

/** HMAC-SHA256 under a key of the deployment made for one purpose; 32 bytes that nobody else can compute or undo. */
export function keyedHash(services: Services, purpose: string, ...parts: string[]): Buffer {
  const keys = keysOf(services);
  let key = keys.get(purpose);
  if (!key) {
    key = services.cipher.derive(purpose);
    keys.set(purpose, key);
  }
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
