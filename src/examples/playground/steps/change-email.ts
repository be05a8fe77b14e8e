import { user } from '#sdk/index.ts';

/** Emails a code to the new address, which is only used once it is verified. */
export async function changeEmail(email: string): Promise<void> {
  await user.updateEmail(email);
}

export async function verifyEmail(code: string): Promise<void> {
  await user.verifyEmail(code);
}
