import {
  NotSignedInError,
  SignInRequiredError,
  type UserPayload,
  user,
} from '#sdk/index.ts';

/** Returns the signed-in user, or null. */
export async function readSession(): Promise<UserPayload | null> {
  try {
    return await user.getPayload();
  } catch (error) {
    if (error instanceof NotSignedInError || error instanceof SignInRequiredError)
      return null;
    throw error;
  }
}
