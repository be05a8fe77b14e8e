import { createHmac } from 'node:crypto';
import type { Services } from './context.ts';

/** Returns the HMAC-SHA256 (32 bytes) under a key derived for one purpose; only this deployment can compute it. */
export function keyedHash(services: Pick<Services, 'cipher'>, purpose: string, ...parts: string[]): Buffer {
  return createHmac('sha256', services.cipher.derive(purpose)).update(JSON.stringify(parts)).digest();
}
