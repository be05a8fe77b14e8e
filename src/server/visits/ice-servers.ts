import { createHmac } from 'node:crypto';
import type { IceServer } from '#contract/visit-call.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';

/**
 * Returns the STUN and TURN servers for a browser, with temporary credentials in coturn's `use-auth-secret` scheme: the
 * username is the expiry (Unix seconds), a colon and an id; the password is its HMAC-SHA1, as the protocol requires.
 *
 * @param lastMs lifetime of the credentials
 * @param who owner of the credentials, such as a seat id; relays log usernames, so they get a keyed hash of it
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
