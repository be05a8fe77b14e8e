import { ADDRESSES } from './addresses.ts';
import type { Group } from './attack.ts';
import { LOCK_OUTS } from './lock-outs.ts';
import { SIGN_UP, WEAK_PASSWORDS } from './sign-up.ts';

export const GROUPS: Group[] = [SIGN_UP, ADDRESSES, LOCK_OUTS, WEAK_PASSWORDS];
