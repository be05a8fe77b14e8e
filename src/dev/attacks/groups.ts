import { ADDRESSES } from './addresses.ts';
import type { Group } from './attack.ts';
import { CLINICS } from './clinics.ts';
import { ENDPOINTS } from './endpoints.ts';
import { EXCESSIVE_REQUESTS } from './excessive-requests.ts';
import { FUZZ } from './fuzz.ts';
import { LOCKOUTS } from './lockouts.ts';
import { PATIENTS } from './patients.ts';
import { SIGN_UP } from './sign-up.ts';
import { WEAK_PASSWORDS } from './weak-passwords.ts';

/** The groups of a row run one after the other, the rows concurrently. */
export const PARALLEL_GROUPS: Group[][] = [
  [SIGN_UP, PATIENTS, WEAK_PASSWORDS],
  [ADDRESSES, LOCKOUTS, EXCESSIVE_REQUESTS, ENDPOINTS, CLINICS],
];
/** Runs after all others, because it ends sessions. */
export const FINAL_GROUPS: Group[] = [FUZZ];
