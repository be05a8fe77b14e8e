import type { Client } from './client.ts';
import { toHex } from './protocol/hex.ts';
import { randomBytes, SUITE } from './srp/suite.ts';

/**
 * Values that outlive a session. `device`: the secret by which an account recognises this device, stored under the
 * sign-in address and the user id. `attempt`: the secret that binds a sign-up or reset to this device, stored under the
 * address until it is completed.
 */
type Kind = 'device' | 'attempt';
/** Newest first. */
type Stored = { v: 1; entries: [name: string, value: string][] };

const VERSION = 1;
/** Limits the size also on a device that many people share. */
const MAX_ENTRIES = 40;
const ATTEMPT_BYTES = 32;

/** Hashed, so that the storage of a shared device reveals no addresses. */
const nameOf = ({ configuration }: Client, kind: Kind, owner: string): string =>
  toHex(SUITE.hash(new TextEncoder().encode(JSON.stringify([kind, configuration.tenantId, owner]))));

function parse(text: string | null): Stored['entries'] {
  try {
    const stored = JSON.parse(text ?? 'null') as Stored | null;
    return stored?.v === VERSION && Array.isArray(stored.entries) ? stored.entries : [];
  } catch {
    return [];
  }
}

const serialize = (entries: Stored['entries']): string =>
  JSON.stringify({ v: VERSION, entries: entries.slice(0, MAX_ENTRIES) } satisfies Stored);

/** Stores a value under each of a user's names. */
export async function storeSecret(client: Client, kind: Kind, owners: (string | null)[], value: string): Promise<void> {
  const names = owners.filter((owner) => owner !== null).map((owner) => nameOf(client, kind, owner));
  await client.secrets.update((text) => {
    const others = parse(text).filter(([name]) => !names.includes(name));
    return serialize([...names.map((name): [string, string] => [name, value]), ...others]);
  });
}

/** Returns the value stored for a user as a field of a request body; an empty object when there is none. */
export async function loadSecret<Name extends Kind>(
  client: Client,
  kind: Name,
  owner: string,
): Promise<{ [Field in Name]?: string }> {
  const name = nameOf(client, kind, owner);
  const entry = parse(await client.secrets.read()).find(([other]) => other === name);
  return (entry ? { [kind]: entry[1] } : {}) as { [Field in Name]?: string };
}

/**
 * Returns the secret of this device's sign-up or reset for an address, and creates it when needed. It is stored before
 * the request is sent, because the response may be lost, and is the same in all tabs.
 */
export async function beginAttempt(client: Client, address: string): Promise<string> {
  const created = newAttempt();
  const name = nameOf(client, 'attempt', address);
  await client.secrets.update((text) => {
    const entries = parse(text);
    return entries.some(([other]) => other === name) ? text : serialize([[name, created], ...entries]);
  });
  return (await loadSecret(client, 'attempt', address)).attempt ?? created;
}

export const newAttempt = (): string => toHex(randomBytes(ATTEMPT_BYTES));

/** Deletes a secret once it is used, unless another one was created in the meantime. */
export async function endAttempt(client: Client, address: string, attempt: string): Promise<void> {
  const name = nameOf(client, 'attempt', address);
  await client.secrets.update((text) => {
    return serialize(parse(text).filter(([other, value]) => other !== name || value !== attempt));
  });
}
