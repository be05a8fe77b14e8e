import { user } from '#sdk/index.ts';

/**
 * Calls the listener after a sign-in or sign-out in this tab or another.
 * @returns a function that removes the listener
 */
export function followSession(listener: (isSignedIn: boolean) => void): () => void {
  return user.onSessionChange(listener);
}
