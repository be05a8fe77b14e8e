import type { Client } from './client.ts';

/** What a page can count down to. */
export type CodeSent = {
  /** When another code may be asked for, by this device's clock. RFC 3339. */
  resendAt: string;
};

const FIRST_WAIT_S = 30;

/** The instant so many seconds from now. */
export const inSeconds = (client: Client, seconds: number): string =>
  new Date(client.now() + seconds * 1000).toISOString();

/** @param answer null of a service of an earlier version, which tells no wait */
export const codeSent = (client: Client, answer: { resend_after: number } | null): CodeSent => ({
  resendAt: inSeconds(client, answer?.resend_after ?? FIRST_WAIT_S),
});
