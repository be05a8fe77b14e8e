import { toast } from '#web/ui/toast.ts';
import { notifyTabs } from './session-news.ts';

/** Ends the session at the server and leaves the portal, in every tab of this browser. Nothing of the pages is kept. */
export async function signOut(): Promise<void> {
  try {
    const [nextAuth, { leaveHidden }] = await Promise.all([
      import('next-auth/react'),
      import('#web/ui/hidden-page.ts'),
    ]);
    await nextAuth.signOut({ redirect: false });
    // It ignores a rejection by the server.
    const { status } = await fetch('/api/trpc/session.me?input=%7B%7D', { cache: 'no-store' });
    if (status !== 401) throw new Error(`session.me responded ${status}`);
    notifyTabs('signed_out');
    leaveHidden('/sign-in');
  } catch {
    toast.error('You are still signed in', { description: 'The server did not answer. Try again.' });
  }
}
