import type { Client } from './client.ts';

/** What a page can count down to. */
export type CodeSent = {
  /** When another code may be asked for, by this device's clock. RFC 3339. */
  resendAt: string;
};

/** The instant so many seconds from now. */
export const inSeconds = (client: Client, seconds: number): string =>
  new Date(client.now() + seconds * 1000).toISOString();

export const codeSent = (client: Client, answer: { resend_after: number }): CodeSent => ({
  resendAt: inSeconds(client, answer.resend_after),
});
