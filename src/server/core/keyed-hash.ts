import { createHmac } from 'node:crypto';
import type { Services } from './context.ts';

/** HMAC-SHA256 under a key of the deployment made for one purpose; 32 bytes that nobody else can compute or undo. */
export function keyedHash(services: Pick<Services, 'cipher'>, purpose: string, ...parts: string[]): Buffer {
  return createHmac('sha256', services.cipher.derive(purpose)).update(JSON.stringify(parts)).digest();
}
