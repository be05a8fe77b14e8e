import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Column encryption bound to the row: a value that is moved to another row or column does not decrypt. */
export type Cipher = {
  seal(plain: string, boundTo: string): Uint8Array<ArrayBuffer>;
  open(sealed: Uint8Array, boundTo: string): string;
  /** Derives and caches a key for another purpose. Purposes are constants in the code, so the cache stays small. */
  derive(purpose: string): Buffer;
};

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with the deployment's key. `boundTo` names table, row and column, e.g. `integrations/{id}/credentials`.
 * Layout: version (1 byte), nonce (12), tag (16), ciphertext.
 */
export function createCipher(key: Buffer): Cipher {
  const derived = new Map<string, Buffer>();
  return {
    seal(plain, boundTo) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return new Uint8Array(Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]));
    },
    open(sealed, boundTo) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error('sealed with an unknown version');
      const iv = bytes.subarray(1, 1 + IV_BYTES);
      const tag = bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(boundTo)).setAuthTag(tag);
      return decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)).toString('utf8') + decipher.final('utf8');
    },
    derive(purpose) {
      const subkey = derived.get(purpose) ?? createHmac('sha256', key).update(purpose).digest();
      derived.set(purpose, subkey);
      return subkey;
    },
  };
}

export const sha256 = (value: string | Buffer): string => hash('sha256', value, 'hex');

/** Compares in constant time, for any lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** Returns the HMAC-SHA256 (32 bytes) under a key derived for one purpose; only this deployment can compute it. */
export function keyedHash({ cipher }: { cipher: Cipher }, purpose: string, ...parts: string[]): Buffer {
  return createHmac('sha256', cipher.derive(purpose)).update(JSON.stringify(parts)).digest();
}
