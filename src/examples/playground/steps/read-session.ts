import {
  NotSignedInError,
  SignInRequiredError,
  type UserPayload,
  user,
} from '#sdk/index.ts';

/** Who is signed in; null when nobody is, or not any more. */
export async function readSession(): Promise<UserPayload | null> {
  try {
    return await user.getPayload();
  } catch (error) {
    if (error instanceof NotSignedInError || error instanceof SignInRequiredError)
      return null;
    throw error;
  }
}
