import { user } from '#sdk/index.ts';

/** This session continues; all others end. */
export async function changePassword(
  oldPassword: string,
  newPassword: string,
): Promise<void> {
  await user.updatePassword(oldPassword, newPassword);
}
