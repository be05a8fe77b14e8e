import type { Registered, SignUp } from './fake-proofs.ts';

/** A user of the fake server. */
export type Person = {
  id: string;
  email: string | null;
  phone: string | null;
  isConfirmed: boolean;
  attributes: object;
  srp?: Registered;
  /** The sign-ups of each device, by attempt; `resets` has the attempts of reset requests. */
  signUps: Map<string, SignUp>;
  resets: Set<string>;
  invitation?: 'open' | 'expired';
  pendingEmail?: string;
  pendingPhone?: string;
};
