import { type PasswordlessUser, passwordless } from '#sdk/index.ts';

/** Signs in with the code of the text message. */
export async function completeSignIn(
  waiting: PasswordlessUser,
  code: string,
): Promise<void> {
  await passwordless.completeSignIn(waiting, code);
}
