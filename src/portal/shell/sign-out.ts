/** Ends the session at the server and leaves the portal. */
export async function signOut(): Promise<void> {
  const nextAuth = await import('next-auth/react');
  await nextAuth.signOut({ callbackUrl: '/sign-in' });
}
