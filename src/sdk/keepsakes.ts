import type { Client } from './client.ts';
import { toHex } from './protocol/hex.ts';
import { randomBytes } from './srp/random-bytes.ts';
import { SUITE } from './srp/suite.ts';

/**
 * What outlives a session: `device`, the secret by which an account knows this device, found by the address that is typed
 * to sign in, or by the user's id; `attempt`, the secret by which a sign-up or a reset is this device's, found by the
 * address until it is finished.
 */
type Kind = 'device' | 'attempt';
/** The newest first. */
type Kept = { v: 1; entries: [name: string, value: string][] };

const VERSION = 1;
/** A device that a whole ward signs in on still stays small. */
const MOST = 40;
const ATTEMPT_BYTES = 32;

/** Whoever looks into the storage of a shared device reads no addresses there. */
const nameOf = ({ configuration }: Client, kind: Kind, who: string): string =>
  toHex(SUITE.hash(new TextEncoder().encode(JSON.stringify([kind, configuration.tenantId, who]))));

function parse(text: string | null): Kept['entries'] {
  try {
    const kept = JSON.parse(text ?? 'null') as Kept | null;
    return kept?.v === VERSION && Array.isArray(kept.entries) ? kept.entries : [];
  } catch {
    return [];
  }
}

const written = (entries: Kept['entries']): string =>
  JSON.stringify({ v: VERSION, entries: entries.slice(0, MOST) } satisfies Kept);

/** Keeps a value for each of the names that somebody is found by. */
export async function keepFor(client: Client, kind: Kind, whos: (string | null)[], value: string): Promise<void> {
  const names = whos.filter((who) => who !== null).map((who) => nameOf(client, kind, who));
  await client.keepsakes.update((text) => {
    const others = parse(text).filter(([name]) => !names.includes(name));
    return written([...names.map((name): [string, string] => [name, value]), ...others]);
  });
}

/** The value that is kept for somebody, in the shape of a body's field; nothing where there is none. */
export async function keptFor<Name extends Kind>(
  client: Client,
  kind: Name,
  who: string,
): Promise<{ [Field in Name]?: string }> {
  const name = nameOf(client, kind, who);
  const found = parse(await client.keepsakes.read()).find(([other]) => other === name);
  return (found ? { [kind]: found[1] } : {}) as { [Field in Name]?: string };
}

/**
 * The secret of what this device has begun with that address, a new one if it has begun nothing: kept before anything is
 * sent, for an answer may be lost, and the same in all tabs.
 */
export async function beginAttempt(client: Client, address: string): Promise<string> {
  const fresh = newAttempt();
  const name = nameOf(client, 'attempt', address);
  await client.keepsakes.update((text) => {
    const entries = parse(text);
    return entries.some(([other]) => other === name) ? text : written([[name, fresh], ...entries]);
  });
  return (await keptFor(client, 'attempt', address)).attempt ?? fresh;
}

export const newAttempt = (): string => toHex(randomBytes(ATTEMPT_BYTES));

/** Once it is finished; unless another has been begun meanwhile. */
export async function endAttempt(client: Client, address: string, attempt: string): Promise<void> {
  const name = nameOf(client, 'attempt', address);
  await client.keepsakes.update((text) => {
    return written(parse(text).filter(([other, value]) => other !== name || value !== attempt));
  });
}
