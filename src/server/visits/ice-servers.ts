import { createHmac } from 'node:crypto';
import type { IceServer } from '#contract/visit-call.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';

/**
 * What a browser is told of how to be reached: our STUN and TURN servers, with credentials that run out by themselves.
 * They follow the scheme of coturn's `use-auth-secret`: the username is when they end (seconds), a colon and who has them;
 * the password is its HMAC-SHA1, for that is what the wire takes.
 * @param lastMs how long the credentials are good for
 * @param who whose they are, such as a seat's id; a relay logs usernames, so it is told a keyed hash of it
 */
export function iceServers(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  who: string,
  lastMs: number,
): IceServer[] {
  const { stunUrls, turn } = config.video;
  const servers: IceServer[] = stunUrls.length > 0 ? [{ urls: stunUrls }] : [];
  if (!turn) return servers;
  const expiry = Math.floor((clock.now().getTime() + lastMs) / SECOND);
  const seat = createHmac('sha256', turn.secret).update(`seat ${who}`).digest('base64url').slice(0, 16);
  const username = `${expiry}:${seat}`;
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [...servers, { urls: turn.urls, username, credential }];
}
