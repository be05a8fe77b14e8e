import { ServiceError } from './errors.ts';
import type { Endpoint } from './protocol/endpoints.ts';

export const TOKEN_FIELDS = ['access_token', 'expires_in', 'refresh_token', 'refresh_expires_at', 'user'];

/** Required fields in the responses of each endpoint that returns data. */
export const RESPONSE_FIELDS: Partial<Record<Endpoint, string[]>> = {
  passwordlessSignIn: ['challenge', 'expires_in', 'resend_after'],
  passwordlessComplete: TOKEN_FIELDS,
  srpStart: ['handshake', 'identity', 'salt', 'B', 'kdf'],
  srpFinish: ['M2'],
  completeInvitation: TOKEN_FIELDS,
  verifyEmail: ['user_id'],
  verifyPhone: ['user_id'],
  updatePassword: ['M2'],
};

/**
 * Returns the response when all fields are present.
 * @throws ServiceError when a field is missing: the response is a proxy's page, or the service has another version
 */
export function expectFields<Result>(response: unknown, fields: string[]): Result {
  const present = (response ?? {}) as Record<string, unknown>;
  if (fields.some((field) => present[field] == null))
    throw new ServiceError('unexpected_answer', 'The service sent an invalid response.');
  return response as Result;
}
