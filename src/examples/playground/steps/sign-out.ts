import { user } from '#sdk/index.ts';

/** Ends the session here, in the other tabs and at the service. */
export async function signOut(): Promise<void> {
  await user.signOut();
}
