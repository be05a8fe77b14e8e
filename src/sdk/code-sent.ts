import type { Client } from './client.ts';

/** Data for a countdown to the next code. */
export type CodeSent = {
  /** When another code can be requested, by this device's clock. RFC 3339. */
  resendAt: string;
};

/** Returns the instant a number of seconds from now. */
export const inSeconds = (client: Client, seconds: number): string =>
  new Date(client.now() + seconds * 1000).toISOString();

export const codeSent = (client: Client, response: { resend_after: number }): CodeSent => ({
  resendAt: inSeconds(client, response.resend_after),
});
