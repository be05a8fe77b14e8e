import { createHash, scryptSync } from 'node:crypto';
import { SEED } from './seed.ts';

/** Returns a generator of pseudorandom bytes; equal seeds give equal bytes. */
function seededBytes(seed: string): (length: number) => Buffer {
  let calls = 0;
  return (length) => createHash('shake256', { outputLength: length }).update(`${seed}/${calls++}`).digest();
}

/** The default takes some seconds, because the other implementation is slow; `npm run prove` runs 5,000. */
export const EXCHANGES = Number(process.env.SRP_EXCHANGES ?? 15);
/** How often a password is really stretched; all other keys are random. */
const STRETCHED_EVERY = 20;
const WRONG_EVERY = 10;

export const WORDS = `${EXCHANGES} random exchanges (one in ${STRETCHED_EVERY} with a stretched password, the others with a drawn K0)`;

/** Returns the initial values of both sides of one exchange, determined by the seed, the side and the round. */
export function drawExchange(side: string, round: number) {
  const bytes = seededBytes(`${SEED}/${side}/${round}`);
  const [identity, salt] = [bytes(16).toString('hex'), bytes(32)];
  const K0 =
    round % STRETCHED_EVERY === 0
      ? scryptSync(bytes(12).toString('base64').normalize('NFKC'), salt, 32, {
          N: 2 ** 15,
          r: 8,
          p: 1,
          maxmem: 2 ** 26,
        })
      : bytes(32);
  const theirs = bytes(32);
  // The other implementation warns about a secret with a leading zero byte.
  theirs[0]! |= 0x80;
  return {
    identity,
    salt,
    K0: K0.toString('hex'),
    ours: bytes(32),
    theirs,
    isWrongToo: round % WRONG_EVERY === 0,
    where: `round ${round} of SEED=${SEED}`,
  };
}
