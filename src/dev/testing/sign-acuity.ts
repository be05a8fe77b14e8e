import { createHmac } from 'node:crypto';

/** Signs a webhook body as Acuity does. */
export const signAcuity = (rawBody: string, apiKey: string): string =>
  createHmac('sha256', apiKey).update(rawBody).digest('base64');
