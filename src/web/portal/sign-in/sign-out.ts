import { toast } from '#web/ui/toast.ts';

/** Ends the session at the server and leaves the portal, in every tab of this browser. Nothing of the pages is kept. */
export async function signOut(): Promise<void> {
  try {
    const { endSession } = await import('./end-session.ts');
    await endSession();
  } catch {
    toast.error('You are still signed in', { description: 'The server did not answer. Try again.' });
  }
}
