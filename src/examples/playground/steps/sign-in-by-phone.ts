import { type PasswordlessUser, passwordless } from '#sdk/index.ts';

/**
 * Texts a code; again for another one. Keep the answer: it is plain data and
 * survives a reload.
 */
export async function signInByPhone(
  phoneNumber: string,
): Promise<PasswordlessUser> {
  return passwordless.signIn(phoneNumber);
}
