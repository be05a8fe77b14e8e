import { cleanCode } from './clean-code.ts';
import { type Client, type ConfigureOptions, call, clientOf, configureFlow, type Service } from './client.ts';
import { type CodeSent, codeSent } from './code-sent.ts';
import { normalizeEmail } from './email.ts';
import {
  AuthError,
  InvalidCodeError,
  InvalidCredentialsError,
  InvitationExpiredError,
  NewPasswordRequiredError,
  NotConfirmedError,
} from './errors.ts';
import { expectFields, TOKEN_FIELDS } from './expect-fields.ts';
import { beginAttempt, endAttempt, keepFor, keptFor, newAttempt } from './keepsakes.ts';
import { checkPassword } from './password-rules.ts';
import type { Wire } from './protocol/endpoints.ts';
import type { SignUpAttributes } from './protocol/patient-attributes.ts';
import { repeatable } from './repeatable.ts';
import { beginSession, finishSignOut } from './session.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { provePassword } from './srp/prove-password.ts';
import { payloadOf, type UserPayload } from './user-payload.ts';

type Finished = Wire['srpFinish']['answer'] & { identity: string };

/** Takes the credentials token of the API credentials page; tells where the API is. @throws ConfigurationError */
function configure(configuration_token: string, options?: ConfigureOptions): Service {
  const service = configureFlow('credentials', configuration_token, options);
  void finishSignOut(clientOf('credentials'));
  return service;
}

/**
 * Creates a patient and mails a code; tells when another may be asked for. Says nothing about whether there was one.
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
 * Confirms the e-mail with the code of the mail, and with it what was signed up with on this device; needed before the
 * first sign-in. On another device sign up again, or sign in: a right password takes the sign-up over.
 * @throws InvalidCodeError
 */
async function confirmSignUp(email: string, verification_code: string): Promise<void> {
  const { client, address } = prepare(email);
  const code = cleanCode(verification_code);
  const attempt = await attemptOf(
    client,
    address.email,
    'Sign up on this device first, or sign in with your password.',
  );
  await repeatable(['confirm', client.key, address.email, code], (idempotencyKey) =>
    call(client, 'confirm', { ...address, attempt, code }, { idempotencyKey }),
  );
  await endAttempt(client, address.email, attempt);
}

/** Mails another code or, to somebody invited, the invitation again. Says nothing about whether there was anybody. */
async function resendConfirmationCode(email: string): Promise<CodeSent> {
  const { client, address } = prepare(email);
  const device = await keptFor(client, 'device', address.email);
  const body = { ...address, ...(await keptFor(client, 'attempt', address.email)), ...device };
  return codeSent(client, await call(client, 'resend', body));
}

/**
 * Tells who signed in.
 * @throws InvalidCredentialsError, NotConfirmedError, NewPasswordRequiredError, UntrustedServerError, RateLimitedError
 */
async function signIn(email: string, password: string): Promise<UserPayload> {
  const { client, address } = prepare(email);
  return repeatable(['session', client.key, address.email], async (key) => {
    try {
      return await open(client, address.email, password, key);
    } catch (error) {
      if (error instanceof InvalidCredentialsError) await refuseUnconfirmed(client, address.email, password);
      throw error;
    }
  });
}

/**
 * Replaces a password that has to be, an invitation's or the one before an undone change, and signs in. Safe to repeat.
 * @throws InvitationExpiredError, InvalidCredentialsError, PasswordRuleError
 */
async function completeInvitationAndSetPassword(
  email: string,
  temp_password: string,
  new_password: string,
): Promise<UserPayload> {
  const { client, address } = prepare(email);
  checkPassword(new_password, email);
  return repeatable(['session', client.key, address.email], async (key) => {
    let answer: Finished;
    try {
      answer = await authenticate(client, address.email, temp_password, key);
    } catch (error) {
      if (error instanceof AuthError && error.code === 'invitation_expired')
        throw new InvitationExpiredError(() => resendConfirmationCode(email), { cause: error });
      if (!(error instanceof InvalidCredentialsError)) throw error;
      // Perhaps it was completed before and the answer was lost: then the new password is in force already.
      return open(client, address.email, new_password, key).catch((failure) => {
        throw failure instanceof AuthError && failure.retryable ? failure : error;
      });
    }
    if (!('new_password_required' in answer)) return payloadOf(await beginSession(client, answer, address.email));
    const { continuation, identity } = answer;
    const device = await keptFor(client, 'device', address.email);
    const body = { continuation, srp: await makeVerifier(new_password, identity), ...device };
    const tokens = await call(client, 'completeInvitation', body, { idempotencyKey: key });
    return payloadOf(await beginSession(client, tokens, address.email));
  });
}

/** Mails a code for a new password, good on this device. Says nothing about whether there is anybody. */
async function requestPasswordReset(email: string): Promise<CodeSent> {
  const { client, address } = prepare(email);
  const attempt = await beginAttempt(client, address.email);
  const body = { ...address, attempt, ...(await keptFor(client, 'device', address.email)) };
  return codeSent(client, await call(client, 'reset', body));
}

/** Sets a new password with the code of the mail; all sessions end. @throws InvalidCodeError, PasswordRuleError */
async function completePasswordReset(email: string, code: string, new_password: string): Promise<void> {
  const { client, address } = prepare(email);
  const cleaned = cleanCode(code);
  checkPassword(new_password, email);
  const attempt = await attemptOf(client, address.email, 'Ask for a code on this device.');
  const srp = await makeVerifier(new_password);
  await repeatable(['reset', client.key, address.email, cleaned, new_password], (idempotencyKey) =>
    call(client, 'completeReset', { ...address, attempt, code: cleaned, srp }, { idempotencyKey }),
  );
  await endAttempt(client, address.email, attempt);
}

/** @throws InvalidCodeError when this device has begun nothing with that address, so that no code can be for it */
async function attemptOf(client: Client, email: string, whatToDo: string): Promise<string> {
  const { attempt } = await keptFor(client, 'attempt', email);
  if (!attempt) throw new InvalidCodeError('other_device', `This code belongs to another device. ${whatToDo}`);
  return attempt;
}

/**
 * The password may be that of a sign-up which waits for its code, perhaps of another device: then this one goes on with
 * it. Asked for after the account's, so that a sign-in takes one proof. @throws NotConfirmedError
 */
async function refuseUnconfirmed(client: Client, email: string, password: string): Promise<void> {
  const { attempt = newAttempt() } = await keptFor(client, 'attempt', email);
  try {
    const { handshake, M1 } = await provePassword(client, email, password, attempt);
    await call(client, 'srpFinish', { handshake, M1 });
  } catch (error) {
    const isUnconfirmed = error instanceof NotConfirmedError;
    if (isUnconfirmed) await keepFor(client, 'attempt', [email], attempt);
    if (isUnconfirmed || (error instanceof AuthError && error.retryable)) throw error;
  }
}

function prepare(email: string) {
  const client = clientOf('credentials');
  const { clientId: client_id } = client.configuration;
  return { client, address: { client_id, email: normalizeEmail(email) } };
}

/** @param key the same for a repetition: the session whose tokens were lost on the way is then replaced, not left open */
async function open(client: Client, email: string, password: string, key: string): Promise<UserPayload> {
  const answer = await authenticate(client, email, password, key);
  if ('new_password_required' in answer)
    throw new NewPasswordRequiredError(
      'new_password_required',
      'This password has to be replaced. Please choose a new one.',
    );
  const session = await beginSession(client, answer, email);
  // Whatever else was begun here with this address has come to its end.
  const { attempt } = await keptFor(client, 'attempt', email);
  if (attempt) await endAttempt(client, email, attempt);
  return payloadOf(session);
}

async function authenticate(
  client: Client,
  email: string,
  password: string,
  idempotencyKey: string,
): Promise<Finished> {
  const { handshake, M1, identity, checkServer } = await provePassword(client, email, password);
  const device = await keptFor(client, 'device', email);
  const answer = await call(client, 'srpFinish', { handshake, M1, ...device }, { idempotencyKey });
  checkServer(answer.M2);
  const fields = 'new_password_required' in answer ? ['continuation'] : TOKEN_FIELDS;
  return { ...expectFields<typeof answer>(answer, fields), identity };
}

/** Sign-in by e-mail and password. */
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
