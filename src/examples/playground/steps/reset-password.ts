import { credentials } from '#sdk/index.ts';

/** Emails a code. The response does not reveal whether there is an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  await credentials.requestPasswordReset(email);
}

/** Sets the new password and signs in with it. All other sessions have ended. */
export async function completePasswordReset(
  email: string,
  code: string,
  password: string,
): Promise<void> {
  await credentials.completePasswordReset(email, code, password);
  await credentials.signIn(email, password);
}
