import { user } from '#sdk/index.ts';

/** Texts a code to the new number, which is only used once it is verified. */
export async function changePhoneNumber(phoneNumber: string): Promise<void> {
  await user.updatePhoneNumber(phoneNumber);
}

export async function verifyPhoneNumber(code: string): Promise<void> {
  await user.verifyPhoneNumber(code);
}
