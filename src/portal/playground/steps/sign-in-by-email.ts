import { credentials, NotConfirmedError } from '#sdk/index.ts';

/** @returns what comes next: the app, or the code of the confirmation mail */
export async function signInByEmail(
  email: string,
  password: string,
): Promise<'signed in' | 'confirm first'> {
  try {
    await credentials.signIn(email, password);
    return 'signed in';
  } catch (error) {
    if (error instanceof NotConfirmedError) return 'confirm first';
    throw error;
  }
}
