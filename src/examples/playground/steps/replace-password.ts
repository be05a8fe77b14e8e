import { credentials } from '#sdk/index.ts';

/**
 * Signs in with a new password in place of an invitation's, or of the one
 * before a change of the e-mail address was undone.
 */
export async function replacePassword(
  email: string,
  before: string,
  password: string,
): Promise<void> {
  await credentials.completeInvitationAndSetPassword(email, before, password);
}
