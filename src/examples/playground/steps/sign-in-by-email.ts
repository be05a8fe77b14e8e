import {
  credentials,
  NewPasswordRequiredError,
  NotConfirmedError,
} from '#sdk/index.ts';

type Next = 'signed in' | 'confirm first' | 'replace the password';

/** @returns the next step: the app, a code by email, or a new password */
export async function signInByEmail(
  email: string,
  password: string,
): Promise<Next> {
  try {
    await credentials.signIn(email, password);
    return 'signed in';
  } catch (error) {
    if (error instanceof NotConfirmedError) return 'confirm first';
    if (error instanceof NewPasswordRequiredError) return 'replace the password';
    throw error;
  }
}
