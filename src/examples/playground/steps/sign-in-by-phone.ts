import { type PasswordlessUser, passwordless } from '#sdk/index.ts';

/**
 * Texts a code; call it again for another one. Store the result: it is plain data
 * and survives a reload.
 */
export async function signInByPhone(
  phoneNumber: string,
): Promise<PasswordlessUser> {
  return passwordless.signIn(phoneNumber);
}
