import { sha256 } from '../../core/crypto.ts';
import { newId, newToken } from '../../core/ids.ts';

const HINT_LENGTH = 4;
/** One in use, one that takes over. */
export const MAX_LIVE_SECRETS = 2;

/** A new secret of 256 random bits. Its SHA-256 is enough to keep: nobody can try 2^256 of them. */
export function makeClientSecret(now: Date) {
  const secret = `cs_${newToken()}`;
  return {
    secret,
    row: { id: newId(now), hash: sha256(secret), hint: secret.slice(-HINT_LENGTH), createdAt: now },
  };
}
