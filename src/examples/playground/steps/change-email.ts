import { user } from '#sdk/index.ts';

/** Mails a code to the new address, which counts only once it is verified. */
export async function changeEmail(email: string): Promise<void> {
  await user.updateEmail(email);
}

export async function verifyEmail(code: string): Promise<void> {
  await user.verifyEmail(code);
}
