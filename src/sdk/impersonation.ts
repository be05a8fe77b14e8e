import { InvalidInputError } from './errors.ts';
import { normalizeEmail } from './normalize.ts';
import { requestToken, requireServer } from './request-token.ts';
import type { ActedFor, Impersonation } from './server-functions.ts';

/** RFC 8693: the application authenticates and names the patient it acts for. */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const impersonation: Impersonation = {
  async signIn(patient, url, client_id, client_secret, options = {}) {
    requireServer();
    const form = { grant_type: TOKEN_EXCHANGE, client_id, client_secret, ...subjectOf(patient) };
    return (await requestToken(url, form, options)).access_token;
  },
};

function subjectOf(patient: string | ActedFor) {
  const { email, patientId } = typeof patient === 'string' ? { email: patient } : (patient ?? {});
  if (patientId === undefined && email !== undefined)
    return { subject_token: normalizeEmail(email), subject_token_type: PATIENT_EMAIL };
  const id = String(patientId).trim().toLowerCase();
  if (email !== undefined || !UUID.test(id))
    throw new InvalidInputError(
      'invalid_parameter',
      "Name the patient by { patientId }, their record's id, or by { email }.",
    );
  return { subject_token: id, subject_token_type: PATIENT_ID };
}
