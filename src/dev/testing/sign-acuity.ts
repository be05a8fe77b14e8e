import { createHmac } from 'node:crypto';

/** How Acuity signs what its webhooks carry. */
export const signAcuity = (rawBody: string, apiKey: string): string =>
  createHmac('sha256', apiKey).update(rawBody).digest('base64');
