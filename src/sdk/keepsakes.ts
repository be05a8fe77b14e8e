import type { Client } from './client.ts';
import { toHex } from './protocol/hex.ts';
import { SUITE } from './srp/suite.ts';

/**
 * What outlives a session: `device`, the secret by which an account knows this device. It is found by the address that
 * is typed to sign in, or by the user's id.
 */
type Kind = 'device';
/** The newest first. */
type Kept = { v: 1; entries: [name: string, value: string][] };

const VERSION = 1;
/** A device that a whole ward signs in on still stays small. */
const MOST = 40;

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

/** Keeps a value for each of the names that somebody is found by. */
export async function keepFor(client: Client, kind: Kind, whos: (string | null)[], value: string): Promise<void> {
  const names = whos.filter((who) => who !== null).map((who) => nameOf(client, kind, who));
  await client.keepsakes.update((text) => {
    const others = parse(text).filter(([name]) => !names.includes(name));
    const entries = [...names.map((name) => [name, value]), ...others].slice(0, MOST);
    return JSON.stringify({ v: VERSION, entries });
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
