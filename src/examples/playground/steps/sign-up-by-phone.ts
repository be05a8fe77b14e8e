import {
  type PasswordlessUser,
  type PatientAttributes,
  passwordless,
} from '#sdk/index.ts';

/**
 * Creates the patient and texts a code. Both steps can be repeated after a lost
 * connection.
 */
export async function signUpByPhone(
  phoneNumber: string,
  attributes: PatientAttributes,
): Promise<PasswordlessUser> {
  await passwordless.signUp(phoneNumber, attributes);
  return passwordless.signIn(phoneNumber);
}
