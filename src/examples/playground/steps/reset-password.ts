import { credentials } from '#sdk/index.ts';

/** Mails a code. Nobody is told whether there is an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  await credentials.requestPasswordReset(email);
}

/** Sets the new password and signs in with it. Every other session has ended. */
export async function completePasswordReset(
  email: string,
  code: string,
  password: string,
): Promise<void> {
  await credentials.completePasswordReset(email, code, password);
  await credentials.signIn(email, password);
}
