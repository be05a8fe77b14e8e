import type { Registered, SignUp } from './fake-proofs.ts';

/** Somebody whom the server knows of. */
export type Person = {
  id: string;
  email: string | null;
  phone: string | null;
  isConfirmed: boolean;
  attributes: object;
  srp?: Registered;
  /** What each device signed up with, or asked for a reset, by its attempt. */
  signUps: Map<string, SignUp>;
  resets: Set<string>;
  invitation?: 'open' | 'expired';
  pendingEmail?: string;
  pendingPhone?: string;
};
