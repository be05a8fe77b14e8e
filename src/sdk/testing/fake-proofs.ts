import { randomUUID } from 'node:crypto';
import { respondToSrp, type StoredHandshake } from './reference-srp.ts';

const KDF = { name: 'scrypt', N: 32768, r: 8, p: 1, length: 32 };
const DECOY = { identity: 'ab', salt: '00'.repeat(32), verifier: '07', kdf: KDF };

export type Registered = StoredHandshake & { kdf: unknown };
export type SignUp = { srp: Registered; attributes: object };
type Prover = {
  isConfirmed: boolean;
  srp?: Registered;
  invitation?: 'open' | 'expired';
  /** The sign-ups of each device, by attempt. */
  signUps: Map<string, SignUp>;
};
type Handshake<Person> = { person: Person | undefined; M1: string; M2: string; signUp?: SignUp; attempt?: string };

/** Both steps of a password proof: for an account, or with an attempt for a sign-up that waits for its code. */
export function fakeProofs<Person extends Prover>() {
  const handshakes = new Map<string, Handshake<Person>>();
  return {
    start(person: Person | undefined, A: string, attempt?: string) {
      const signUps = person?.signUps ?? new Map<string, SignUp>();
      const signUp = attempt ? (signUps.get(attempt) ?? [...signUps.values()].at(-1)) : undefined;
      const account = person?.isConfirmed || person?.invitation ? person.srp : undefined;
      const srp = (attempt ? signUp?.srp : account) ?? DECOY;
      const { B, M1, M2 } = respondToSrp(srp, A);
      const handshake = randomUUID();
      handshakes.set(handshake, { person, M1, M2, ...(signUp && { signUp }), ...(attempt && { attempt }) });
      return { handshake, identity: srp.identity, salt: srp.salt, B, kdf: srp.kdf, expires_in: 120 };
    },
    /** Returns null for an unknown handshake, which works once; false for a wrong proof. */
    prove(handshake: string | undefined, M1: string | undefined) {
      const entry = handshakes.get(handshake!);
      handshakes.delete(handshake!);
      if (!entry) return null;
      const { person, ...rest } = entry;
      return entry.M1 === M1 && person ? { person, ...rest } : false;
    },
  };
}
