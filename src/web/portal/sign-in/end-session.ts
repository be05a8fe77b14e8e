import { getSession, signOut } from 'next-auth/react';
import { leaveHidden } from '#web/ui/hidden-page.ts';
import { notifyTabs } from './session-news.ts';

/** Ends the session at the server and leaves the portal. @throws when the server did not end it */
export async function endSession(): Promise<void> {
  await signOut({ redirect: false });
  // It does not say when the server has rejected it.
  if (await getSession()) throw new Error('the session has not ended');
  notifyTabs('signed_out');
  leaveHidden('/sign-in');
}
