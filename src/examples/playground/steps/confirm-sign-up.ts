import { credentials } from '#sdk/index.ts';

/** Required once, before the first sign-in. */
export async function confirmSignUp(email: string, code: string): Promise<void> {
  await credentials.confirmSignUp(email, code);
}

export async function resendConfirmationCode(email: string): Promise<void> {
  await credentials.resendConfirmationCode(email);
}
