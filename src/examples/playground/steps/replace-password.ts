import { credentials } from '#sdk/index.ts';

/**
 * Replaces the password of an invitation, or the one from before an undone change
 * of the email address, and signs in.
 */
export async function replacePassword(
  email: string,
  before: string,
  password: string,
): Promise<void> {
  await credentials.completeInvitationAndSetPassword(email, before, password);
}
