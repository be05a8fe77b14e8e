import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Creates an id in Stripe's format, for example `sub_1Q…`. */
export function newId(prefix: string): string {
  return `${prefix}_1${randomText(23)}`;
}

export function newClientSecret(intentId: string): string {
  return `${intentId}_secret_${randomText(25)}`;
}
