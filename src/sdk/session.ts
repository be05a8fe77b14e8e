import type { Client } from './client.ts';
import { call } from './client.ts';
import type { Flow } from './configuration.ts';
import { send } from './http.ts';
import { REVOKE_PATH, type WireTokens, type WireUser } from './protocol/endpoints.ts';
import { readTokenTimes } from './token-times.ts';

/** What is kept of a sign-in. Instants are milliseconds since 1970 by this device's own clock, right or wrong. */
export type Session = {
  v: 1;
  flow: Flow;
  clientId: string;
  accessToken: string;
  accessExpiresAt: number;
  refreshToken: string;
  refreshExpiresAt: number;
  user: WireUser;
};

/** Left behind by a sign-out that the service has not heard of yet. */
type Ended = { v: 1; ended: { clientId: string; refreshToken: string } };

const VERSION = 1;
/** A token with less left is not used any more: it must survive the way to the service. */
const EXPIRY_MARGIN_MS = 60_000;

async function readEntry(client: Client): Promise<Session | Ended | null> {
  try {
    const entry = JSON.parse((await client.vault.read()) ?? 'null') as Session | Ended | null;
    return entry?.v === VERSION ? entry : null;
  } catch {
    return null;
  }
}

export async function readSession(client: Client): Promise<Session | null> {
  const entry = await readEntry(client);
  return entry && 'accessToken' in entry ? entry : null;
}

export const isFresh = (client: Client, { accessExpiresAt }: Session): boolean =>
  accessExpiresAt - client.now() > EXPIRY_MARGIN_MS;

export const writeSession = (client: Client, session: Session): Promise<void> =>
  client.vault.write(JSON.stringify(session));

export const sessionOf = (client: Client, flow: Flow, clientId: string, tokens: WireTokens): Session => ({
  v: VERSION,
  flow,
  clientId,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  user: tokens.user,
  ...readTokenTimes(tokens, client.now()),
});

/** A successful sign-in. One that it replaces is ended at the service too. */
export async function beginSession(client: Client, tokens: WireTokens): Promise<void> {
  const { flow, clientId } = client.configuration;
  const before = await readEntry(client);
  await writeSession(client, sessionOf(client, flow, clientId, tokens));
  client.tabs.announce('signed_in');
  if (before) revoke(client, 'ended' in before ? before.ended : before).catch(() => undefined);
}

/** The session is over for this device, whoever ended it. */
export async function dropSession(client: Client): Promise<void> {
  await client.vault.clear();
  client.tabs.announce('signed_out');
}

/**
 * Signs out here at once and at the service when it can be reached.
 * @returns false when nobody was signed in
 * @throws NetworkError, ServiceError: signed out here only; the next call finishes it
 */
export async function endSession(client: Client): Promise<boolean> {
  const entry = await readEntry(client);
  if (!entry) return false;
  const ended = 'ended' in entry ? entry.ended : { clientId: entry.clientId, refreshToken: entry.refreshToken };
  await client.vault.write(JSON.stringify({ v: VERSION, ended } satisfies Ended));
  client.tabs.announce('signed_out');
  if ('accessToken' in entry && isFresh(client, entry)) {
    const isHeard = await call(client, 'signOut', {}, { bearer: entry.accessToken }).then(
      () => true,
      () => false,
    );
    if (isHeard) return clearEnded(client);
  }
  await revoke(client, ended);
  return clearEnded(client);
}

async function clearEnded(client: Client): Promise<true> {
  await client.vault.clear();
  return true;
}

/** RFC 7009: an access token may be out of date, a refresh token ends its session all the same. */
async function revoke(client: Client, { clientId, refreshToken }: Ended['ended']): Promise<void> {
  const form = { token: refreshToken, token_type_hint: 'refresh_token', client_id: clientId };
  await send(client.fetch, { method: 'POST', url: client.configuration.auth + REVOKE_PATH, form });
}
