import { normalizeEmail } from './email.ts';
import { requestToken } from './request-token.ts';
import type { Impersonation } from './server-functions.ts';
import { requireServer } from './server-only.ts';

/** RFC 8693: the application's proof of itself, and whom it wants to act for. */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';

export const impersonation: Impersonation = {
  async signIn(email, url, client_id, client_secret, options = {}) {
    requireServer();
    const subject = { subject_token: normalizeEmail(email), subject_token_type: PATIENT_EMAIL };
    const form = { grant_type: TOKEN_EXCHANGE, client_id, client_secret, ...subject };
    return (await requestToken(url, form, options)).access_token;
  },
};
