import { sha256 } from '../../core/crypto.ts';
import { newId, newToken } from '../../core/ids.ts';

const HINT_LENGTH = 4;
/** One in use and its successor. */
export const MAX_LIVE_SECRETS = 2;

/** Creates a secret of 256 random bits. A plain SHA-256 is enough to store, because 2^256 values cannot be searched. */
export function makeClientSecret(now: Date) {
  const secret = `cs_${newToken()}`;
  return {
    secret,
    row: { id: newId(now), hash: sha256(secret), hint: secret.slice(-HINT_LENGTH), createdAt: now },
  };
}
