import { ADDRESSES } from './addresses.ts';
import type { Group } from './attack.ts';
import { CLINICS } from './clinics.ts';
import { DOORS } from './doors.ts';
import { FUZZ } from './fuzz.ts';
import { LOCK_OUTS } from './lock-outs.ts';
import { PATIENTS } from './patients.ts';
import { SIGN_UP } from './sign-up.ts';
import { SPRAWL } from './sprawl.ts';
import { WEAK_PASSWORDS } from './weak-passwords.ts';

/** The groups of a row run one after the other, the rows concurrently. */
export const LANES: Group[][] = [
  [SIGN_UP, PATIENTS, WEAK_PASSWORDS],
  [ADDRESSES, LOCK_OUTS, SPRAWL, DOORS, CLINICS],
];
/** Runs after all others, because it ends sessions. */
export const AT_LAST: Group[] = [FUZZ];
