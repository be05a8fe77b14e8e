import { type ConfigureOptions, call, clientOf, configureFlow, type Service } from './client.ts';
import { type CodeSent, codeSent, inSeconds } from './code-sent.ts';
import { beginAttempt, endAttempt, loadSecret } from './device-secrets.ts';
import { InvalidInputError } from './errors.ts';
import { normalizeCode, normalizePhoneNumber } from './normalize.ts';
import { toHex } from './protocol/hex.ts';
import type { SignUpAttributes } from './protocol/patient-attributes.ts';
import { beginSession, finishSignOut } from './session.ts';
import { randomBytes } from './srp/suite.ts';
import { payloadOf, type UserPayload } from './user-payload.ts';

/**
 * A user who waits for a code. Plain data: store it with `JSON.stringify` to survive a reload. Instants are RFC 3339.
 */
export type PasswordlessUser = CodeSent & {
  phoneNumber: string;
  challenge: string;
  /** When the code expires. */
  expiresAt: string;
  /** The same for each attempt to complete, so that it can be repeated when the response was lost. */
  attempt: string;
  /** Secret that binds the code to a sign-up on this device, if there was one. */
  signUp?: string;
};

/**
 * Configures the flow with the passwordless token of the API credentials page.
 * @returns the address of the API
 * @throws ConfigurationError
 */
function configure(configuration_token: string, options?: ConfigureOptions): Service {
  const service = configureFlow('passwordless', configuration_token, options);
  void finishSignOut(clientOf('passwordless'));
  return service;
}

/**
 * Creates a patient with this phone number. The response does not reveal whether the patient exists already. The
 * attributes are stored when the first sign-in with the number is completed on this device.
 */
async function signUp(phone_number: string, attributes: SignUpAttributes = {}): Promise<void> {
  const client = clientOf('passwordless');
  const { clientId: client_id } = client.configuration;
  const phoneNumber = normalizePhoneNumber(phone_number);
  const attempt = await beginAttempt(client, phoneNumber);
  await call(client, 'passwordlessSignUp', { client_id, phone_number: phoneNumber, attempt, attributes });
}

/**
 * Sends a code by text message; call it again for another code.
 * @throws InvalidPhoneNumberError, RateLimitedError
 */
async function signIn(phone_number: string): Promise<PasswordlessUser> {
  const client = clientOf('passwordless');
  const { clientId: client_id } = client.configuration;
  const phoneNumber = normalizePhoneNumber(phone_number);
  const device = await loadSecret(client, 'device', phoneNumber);
  const response = await call(client, 'passwordlessSignIn', { client_id, phone_number: phoneNumber, ...device });
  const { attempt: signUp } = await loadSecret(client, 'attempt', phoneNumber);
  return {
    phoneNumber,
    challenge: response.challenge,
    expiresAt: inSeconds(client, response.expires_in),
    ...codeSent(client, response),
    attempt: toHex(randomBytes(16)),
    ...(signUp && { signUp }),
  };
}

/**
 * Signs in with the code of the text message.
 * @returns the signed-in user
 * @throws InvalidCodeError
 */
async function completeSignIn(user: PasswordlessUser, verification_code: string): Promise<UserPayload> {
  const client = clientOf('passwordless');
  if (typeof user?.challenge !== 'string')
    throw new InvalidInputError(
      'invalid_user',
      'Pass the value that signIn returned, or the same value parsed from JSON.',
    );
  const { challenge, phoneNumber, attempt } = user;
  const device = await loadSecret(client, 'device', phoneNumber);
  const signUp = user.signUp ?? (await loadSecret(client, 'attempt', phoneNumber)).attempt;
  const body = { challenge, code: normalizeCode(verification_code), ...(signUp && { attempt: signUp }), ...device };
  const tokens = await call(client, 'passwordlessComplete', body, { idempotencyKey: attempt });
  const session = await beginSession(client, tokens, phoneNumber);
  if (signUp) await endAttempt(client, phoneNumber, signUp);
  return payloadOf(session);
}

/** Sign-in by a code in a text message. */
export const passwordless = { configure, signUp, signIn, completeSignIn, confirmSignIn: completeSignIn };
