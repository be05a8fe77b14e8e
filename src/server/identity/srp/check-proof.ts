import { timingSafeEqual } from 'node:crypto';
import { fromHex, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import type { Context } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { isInCare } from '../../patients/in-care.ts';
import { clearFailures } from './failures.ts';
import type { SignUpHandle } from './find-sign-up.ts';
import { type ProvedPatient, readProved } from './read-proved.ts';
import { settle } from './suite.ts';
import { takeHandshake } from './take-handshake.ts';

const NO_PROOF = new Uint8Array(32);

export type ProvedAccount = { patientId: string; patient: ProvedPatient };
/** The password is that of a sign-up which has yet to be confirmed: it opens nothing. */
export type ProvedSignUp = { patientId: null; signUp: SignUpHandle };
export type Proved = (ProvedAccount | ProvedSignUp) & { clientId: string; identity: string; M2: string };

/**
 * The second half of proving a password: who proved it, and the server's own proof. Somebody unknown costs as much as a
 * wrong password. Errors: expired_handshake, rate_limited, invalid_credentials.
 */
export async function checkProof(ctx: Context, handshake: string, M1: string): Promise<Proved> {
  const step = await takeHandshake(ctx, handshake);
  if (!step) throw refuse('expired_handshake', 'This sign-in has taken too long; start again.');
  const { patientId, clientId, failureKey } = step;
  const { identity, salt, signUp, ...numbers } = step.state;
  const number = (name: keyof typeof numbers) => toInteger(fromHex(numbers[name], SRP_GROUP.byteLength));
  const proofs = await settle({
    identity,
    salt: Buffer.from(salt, 'hex'),
    v: number('v'),
    b: number('b'),
    A: number('A'),
    B: number('B'),
  });
  const isRight = timingSafeEqual(Buffer.from(M1, 'hex'), proofs?.M1 ?? NO_PROOF) && proofs !== null;
  if (isRight && signUp) {
    await clearFailures(ctx, failureKey);
    return { patientId: null, signUp, clientId, identity, M2: toHex(proofs.M2) };
  }
  if (!isRight || patientId === null) throw wrongPassword();
  const patient = await readProved(ctx, { patientId, failureKey });
  if (!patient || !isInCare(patient) || patient.srpIdentity !== identity) throw wrongPassword();
  return { patientId, clientId, patient, identity, M2: toHex(proofs.M2) };
}

const wrongPassword = () => refuse('invalid_credentials', 'The e-mail address or the password is wrong.');
