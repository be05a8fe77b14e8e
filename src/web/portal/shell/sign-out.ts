import { notifyTabs } from './session-channel.ts';

/** Ends the session at the server and leaves the portal, in every tab of this browser. */
export async function signOut(): Promise<void> {
  const nextAuth = await import('next-auth/react');
  await nextAuth.signOut({ redirect: false });
  notifyTabs('signed_out');
  window.location.assign('/sign-in');
}
