import { ADDRESSES } from './addresses.ts';
import type { Group } from './attack.ts';
import { CLINICS } from './clinics.ts';
import { DOORS } from './doors.ts';
import { FUZZ } from './fuzz.ts';
import { LOCK_OUTS } from './lock-outs.ts';
import { PATIENTS } from './patients.ts';
import { SIGN_UP, WEAK_PASSWORDS } from './sign-up.ts';

export const GROUPS: Group[] = [SIGN_UP, ADDRESSES, LOCK_OUTS, WEAK_PASSWORDS, DOORS, CLINICS, PATIENTS, FUZZ];
