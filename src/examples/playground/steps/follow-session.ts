import { user } from '#sdk/index.ts';

/**
 * Tells of a sign-in or sign-out, of this tab or another.
 * @returns stops listening
 */
export function followSession(listener: (isSignedIn: boolean) => void): () => void {
  return user.onSessionChange(listener);
}
