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

/** Those of one row are tried one after the other, the rows beside each other. */
export const LANES: Group[][] = [
  [SIGN_UP, PATIENTS, WEAK_PASSWORDS],
  [ADDRESSES, LOCK_OUTS, SPRAWL, DOORS, CLINICS],
];
/** After all others, for it spares nobody's session. */
export const AT_LAST: Group[] = [FUZZ];
