import { user } from '#sdk/index.ts';

/** This session goes on; all others end. */
export async function changePassword(
  oldPassword: string,
  newPassword: string,
): Promise<void> {
  await user.updatePassword(oldPassword, newPassword);
}
