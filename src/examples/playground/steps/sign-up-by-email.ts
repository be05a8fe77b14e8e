import { credentials, type PatientAttributes } from '#sdk/index.ts';

/**
 * Creates the patient and emails a code. The password never leaves this device
 * (SRP).
 */
export async function signUpByEmail(
  email: string,
  password: string,
  attributes: PatientAttributes,
): Promise<void> {
  await credentials.signUp(email, password, attributes);
}
