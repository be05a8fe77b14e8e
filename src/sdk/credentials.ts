import { cleanCode } from './clean-code.ts';
import { type Client, type ConfigureOptions, call, clientOf, configureFlow, type Service } from './client.ts';
import { normalizeEmail } from './email.ts';
import { AuthError, InvalidCredentialsError, InvitationExpiredError, NewPasswordRequiredError } from './errors.ts';
import { expectFields, TOKEN_FIELDS } from './expect-fields.ts';
import { keptFor } from './keepsakes.ts';
import { checkPassword } from './password-rules.ts';
import type { Wire } from './protocol/endpoints.ts';
import type { PatientAttributes } from './protocol/patient-attributes.ts';
import { repeatable } from './repeatable.ts';
import { beginSession } from './session.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { provePassword } from './srp/prove-password.ts';

type Finished = Wire['srpFinish']['answer'] & { identity: string };

/** Takes the credentials token of the API credentials page; tells where the API is. @throws ConfigurationError */
const configure = (configuration_token: string, options?: ConfigureOptions): Service =>
  configureFlow('credentials', configuration_token, options);

/** Creates a patient and mails a code. Says nothing about whether there was one. @throws PasswordRuleError */
async function signUp(email: string, password: string, attributes: PatientAttributes = {}): Promise<void> {
  const { client, address } = prepare(email);
  checkPassword(password, email);
  await call(client, 'signUp', { ...address, srp: await makeVerifier(password), attributes });
}

/** Confirms the e-mail with the code of the mail; needed before the first sign-in. @throws InvalidCodeError */
async function confirmSignUp(email: string, verification_code: string): Promise<void> {
  const { client, address } = prepare(email);
  const body = { ...address, code: cleanCode(verification_code) };
  await repeatable(['confirm', client.key, body.email, body.code], (idempotencyKey) =>
    call(client, 'confirm', body, { idempotencyKey }),
  );
}

/** Mails another code or, to somebody invited, another invitation. Says nothing about whether there was anybody. */
async function resendConfirmationCode(email: string): Promise<void> {
  const { client, address } = prepare(email);
  await call(client, 'resend', { ...address, ...(await keptFor(client, 'device', address.email)) });
}

/** @throws InvalidCredentialsError, NotConfirmedError, NewPasswordRequiredError, UntrustedServerError, RateLimitedError */
async function signIn(email: string, password: string): Promise<void> {
  const { client, address } = prepare(email);
  await repeatable(['session', client.key, address.email], (key) => open(client, address.email, password, key));
}

/**
 * Replaces a password that has to be, an invitation's or the one before an undone change, and signs in. Safe to repeat.
 * @throws InvitationExpiredError, InvalidCredentialsError, PasswordRuleError
 */
async function completeInvitationAndSetPassword(
  email: string,
  temp_password: string,
  new_password: string,
): Promise<void> {
  const { client, address } = prepare(email);
  checkPassword(new_password, email);
  await repeatable(['session', client.key, address.email], async (key) => {
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
    if (!('new_password_required' in answer)) return beginSession(client, answer, address.email);
    const { continuation, identity } = answer;
    const device = await keptFor(client, 'device', address.email);
    const body = { continuation, srp: await makeVerifier(new_password, identity), ...device };
    const tokens = await call(client, 'completeInvitation', body, { idempotencyKey: key });
    await beginSession(client, tokens, address.email);
  });
}

/** Mails a code for a new password. Says nothing about whether there is anybody. */
async function requestPasswordReset(email: string): Promise<void> {
  const { client, address } = prepare(email);
  await call(client, 'reset', { ...address, ...(await keptFor(client, 'device', address.email)) });
}

/** Sets a new password with the code of the mail; all sessions end. @throws InvalidCodeError, PasswordRuleError */
async function completePasswordReset(email: string, code: string, new_password: string): Promise<void> {
  const { client, address } = prepare(email);
  const cleaned = cleanCode(code);
  checkPassword(new_password, email);
  const srp = await makeVerifier(new_password);
  await repeatable(['reset', client.key, address.email, cleaned, new_password], (idempotencyKey) =>
    call(client, 'completeReset', { ...address, code: cleaned, srp }, { idempotencyKey }),
  );
}

function prepare(email: string) {
  const client = clientOf('credentials');
  const { clientId: client_id } = client.configuration;
  return { client, address: { client_id, email: normalizeEmail(email) } };
}

/** @param key the same for a repetition: the session whose tokens were lost on the way is then replaced, not left open */
async function open(client: Client, email: string, password: string, key: string): Promise<void> {
  const answer = await authenticate(client, email, password, key);
  if ('new_password_required' in answer)
    throw new NewPasswordRequiredError(
      'new_password_required',
      'This password has to be replaced. Please choose a new one.',
    );
  await beginSession(client, answer, email);
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
