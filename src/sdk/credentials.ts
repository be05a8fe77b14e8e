import { type Client, type ConfigureOptions, call, clientOf, configureFlow, type Service } from './client.ts';
import { type CodeSent, codeSent } from './code-sent.ts';
import { beginAttempt, endAttempt, loadSecret, newAttempt, storeSecret } from './device-secrets.ts';
import {
  AuthError,
  InvalidCodeError,
  InvalidCredentialsError,
  InvitationExpiredError,
  NewPasswordRequiredError,
  NotConfirmedError,
} from './errors.ts';
import { expectFields, TOKEN_FIELDS } from './expect-fields.ts';
import { withIdempotencyKey } from './idempotency.ts';
import { normalizeCode, normalizeEmail } from './normalize.ts';
import { checkPassword } from './password-rules.ts';
import type { Wire } from './protocol/endpoints.ts';
import type { SignUpAttributes } from './protocol/patient-attributes.ts';
import { beginSession, finishSignOut } from './session.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { provePassword } from './srp/prove-password.ts';
import { payloadOf, type UserPayload } from './user-payload.ts';

type FinishResponse = Wire['srpFinish']['response'] & { identity: string };

/**
 * Configures the flow with the credentials token of the API credentials page.
 * @returns the address of the API
 * @throws ConfigurationError
 */
function configure(configuration_token: string, options?: ConfigureOptions): Service {
  const service = configureFlow('credentials', configuration_token, options);
  void finishSignOut(clientOf('credentials'));
  return service;
}

/**
 * Creates a patient and emails a code. The response does not reveal whether the patient exists already.
 * @returns when another code can be requested
 * @throws PasswordRuleError
 */
async function signUp(email: string, password: string, attributes: SignUpAttributes = {}): Promise<CodeSent> {
  const { client, address } = prepare(email);
  checkPassword(password, email);
  const attempt = await beginAttempt(client, address.email);
  const body = { ...address, attempt, srp: await makeVerifier(password), attributes };
  return codeSent(client, await call(client, 'signUp', body));
}

/**
 * Confirms the email address with the emailed code, and the sign-up that was started on this device; required before
 * the first sign-in. On another device, sign up again or sign in: the right password continues the sign-up there.
 * @throws InvalidCodeError
 */
async function confirmSignUp(email: string, verification_code: string): Promise<void> {
  const { client, address } = prepare(email);
  const code = normalizeCode(verification_code);
  const attempt = await attemptOf(
    client,
    address.email,
    'Sign up on this device first, or sign in with your password.',
  );
  await withIdempotencyKey(['confirm', client.key, address.email, code], (idempotencyKey) =>
    call(client, 'confirm', { ...address, attempt, code }, { idempotencyKey }),
  );
  await endAttempt(client, address.email, attempt);
}

/** Emails another code or, to an invited patient, the invitation again. Does not reveal whether the patient exists. */
async function resendConfirmationCode(email: string): Promise<CodeSent> {
  const { client, address } = prepare(email);
  const device = await loadSecret(client, 'device', address.email);
  const body = { ...address, ...(await loadSecret(client, 'attempt', address.email)), ...device };
  return codeSent(client, await call(client, 'resend', body));
}

/**
 * Signs in by email and password.
 * @returns the signed-in user
 * @throws InvalidCredentialsError, NotConfirmedError, NewPasswordRequiredError, UntrustedServerError, RateLimitedError
 */
async function signIn(email: string, password: string): Promise<UserPayload> {
  const { client, address } = prepare(email);
  return withIdempotencyKey(['session', client.key, address.email], async (key) => {
    try {
      return await signInWithPassword(client, address.email, password, key);
    } catch (error) {
      if (error instanceof InvalidCredentialsError) await assertConfirmed(client, address.email, password);
      throw error;
    }
  });
}

/**
 * Replaces a password that must be changed (of an invitation, or from before an undone change) and signs in. Safe to
 * repeat.
 * @throws InvitationExpiredError, InvalidCredentialsError, PasswordRuleError
 */
async function completeInvitationAndSetPassword(
  email: string,
  temp_password: string,
  new_password: string,
): Promise<UserPayload> {
  const { client, address } = prepare(email);
  checkPassword(new_password, email);
  return withIdempotencyKey(['session', client.key, address.email], async (key) => {
    let response: FinishResponse;
    try {
      response = await authenticate(client, address.email, temp_password, key);
    } catch (error) {
      if (error instanceof AuthError && error.code === 'invitation_expired')
        throw new InvitationExpiredError(() => resendConfirmationCode(email), { cause: error });
      if (!(error instanceof InvalidCredentialsError)) throw error;
      // It may have been completed before and the response lost: then the new password is already valid.
      return signInWithPassword(client, address.email, new_password, key).catch((failure) => {
        throw failure instanceof AuthError && failure.retryable ? failure : error;
      });
    }
    if (!('new_password_required' in response)) return payloadOf(await beginSession(client, response, address.email));
    const { continuation, identity } = response;
    const device = await loadSecret(client, 'device', address.email);
    const body = { continuation, srp: await makeVerifier(new_password, identity), ...device };
    const tokens = await call(client, 'completeInvitation', body, { idempotencyKey: key });
    return payloadOf(await beginSession(client, tokens, address.email));
  });
}

/** Emails a code for a new password, valid on this device. Does not reveal whether the patient exists. */
async function requestPasswordReset(email: string): Promise<CodeSent> {
  const { client, address } = prepare(email);
  const attempt = await beginAttempt(client, address.email);
  const body = { ...address, attempt, ...(await loadSecret(client, 'device', address.email)) };
  return codeSent(client, await call(client, 'reset', body));
}

/**
 * Sets a new password with the emailed code; all sessions end.
 * @throws InvalidCodeError, PasswordRuleError
 */
async function completePasswordReset(email: string, code: string, new_password: string): Promise<void> {
  const { client, address } = prepare(email);
  const normalizedCode = normalizeCode(code);
  checkPassword(new_password, email);
  const attempt = await attemptOf(client, address.email, 'Request a code on this device.');
  const srp = await makeVerifier(new_password);
  await withIdempotencyKey(['reset', client.key, address.email, normalizedCode, new_password], (idempotencyKey) =>
    call(client, 'completeReset', { ...address, attempt, code: normalizedCode, srp }, { idempotencyKey }),
  );
  await endAttempt(client, address.email, attempt);
}

/**
 * Returns the secret of this device's sign-up or reset.
 * @throws InvalidCodeError when this device has started neither for the address, so that no code can be for it
 */
async function attemptOf(client: Client, email: string, hint: string): Promise<string> {
  const { attempt } = await loadSecret(client, 'attempt', email);
  if (!attempt) throw new InvalidCodeError('other_device', `This code belongs to another device. ${hint}`);
  return attempt;
}

/**
 * The password may belong to a sign-up that waits for its code, perhaps on another device: then this device continues
 * it. Checked after the account's password, so that a sign-in takes one proof.
 * @throws NotConfirmedError
 */
async function assertConfirmed(client: Client, email: string, password: string): Promise<void> {
  const { attempt = newAttempt() } = await loadSecret(client, 'attempt', email);
  try {
    const { handshake, M1 } = await provePassword(client, email, password, attempt);
    await call(client, 'srpFinish', { handshake, M1 });
  } catch (error) {
    const isUnconfirmed = error instanceof NotConfirmedError;
    if (isUnconfirmed) await storeSecret(client, 'attempt', [email], attempt);
    if (isUnconfirmed || (error instanceof AuthError && error.retryable)) throw error;
  }
}

function prepare(email: string) {
  const client = clientOf('credentials');
  const { clientId: client_id } = client.configuration;
  return { client, address: { client_id, email: normalizeEmail(email) } };
}

/**
 * @param key the same for a repetition: the service then replaces the session whose tokens were lost, instead of
 * leaving it open
 */
async function signInWithPassword(client: Client, email: string, password: string, key: string): Promise<UserPayload> {
  const response = await authenticate(client, email, password, key);
  if ('new_password_required' in response)
    throw new NewPasswordRequiredError(
      'new_password_required',
      'This password must be replaced. Please choose a new one.',
    );
  const session = await beginSession(client, response, email);
  // A sign-in completes any sign-up or reset that was started here for the address.
  const { attempt } = await loadSecret(client, 'attempt', email);
  if (attempt) await endAttempt(client, email, attempt);
  return payloadOf(session);
}

async function authenticate(
  client: Client,
  email: string,
  password: string,
  idempotencyKey: string,
): Promise<FinishResponse> {
  const { handshake, M1, identity, checkServer } = await provePassword(client, email, password);
  const device = await loadSecret(client, 'device', email);
  const response = await call(client, 'srpFinish', { handshake, M1, ...device }, { idempotencyKey });
  checkServer(response.M2);
  const fields = 'new_password_required' in response ? ['continuation'] : TOKEN_FIELDS;
  return { ...expectFields<typeof response>(response, fields), identity };
}

/** Sign-in by email and password. */
export const credentials = {
  configure,
  signUp,
  confirmSignUp,
  resendConfirmationCode,
  signIn,
  completeInvitationAndSetPassword,
  requestPasswordReset,
  completePasswordReset,
};
