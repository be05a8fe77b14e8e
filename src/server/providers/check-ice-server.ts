import type { LookupAddress } from 'node:dns';
import {
  type Deadline,
  type FindHost,
  findWays,
  type IceAddress,
  type Line,
  NoAnswer,
  NoSuchHost,
  NoWayThere,
  openLine,
  readIceUrl,
} from './ice-line.ts';
import {
  type Answer,
  type Attributes,
  addressIn,
  type Credentials,
  IPV6_WANTED,
  newTransaction,
  peerOf,
  request,
  SECONDS,
  UDP_TRANSPORT,
} from './stun-message.ts';

/** Addresses of its own network that a relay must not reach: itself, neighbors, a cloud's metadata service. */
const INSIDE_IPV4 = ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254'];
const INSIDE_IPV6 = ['::1', 'fd00::1', 'fe80::1', 'fd00:ec2::254', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1'];
export const INSIDE = [...INSIDE_IPV4, ...INSIDE_IPV6];
const ANY_PORT = 9;

type Works = { works: true; tookMs: number; address: string | null; open: string[] };
type Fails = { works: false; why: 'no_host' | 'no_answer' | 'refused'; code: number | null; onlyBy?: 'IPv4' | 'IPv6' };
/**
 * The result of a STUN or TURN server check. `open`: the addresses of `INSIDE` that it would have relayed to.
 * `no_host`: the name does not resolve. `refused`: with the error code (401: another secret; 486: too many relays at
 * once). `onlyBy`: the failing address family, when the other one works.
 */
export type IceOutcome = Works | Fails;

type Asked = { url: string; username?: string; credential?: string };

/**
 * Requests the public address from a STUN server, or a relay from a TURN server, which is released at once. Checks one
 * address of each family that the name resolves to, unless this machine has no route there: a browser may have only one
 * family.
 * @param timeoutMs for the whole check
 */
export async function checkIceServer(asked: Asked, timeoutMs: number, find?: FindHost): Promise<IceOutcome> {
  const address = readIceUrl(asked.url);
  const by = performance.now() + timeoutMs;
  try {
    const ways = await findWays(address, by, find);
    const told = await Promise.all(
      ways.map(async (way) => ({ ...way, outcome: await checkWay(way, address, asked, by) })),
    );
    const failing = told.flatMap(({ family, outcome }) => (outcome?.works === false ? [{ ...outcome, family }] : []));
    const working = told.flatMap(({ outcome }) => (outcome?.works ? [outcome] : []));
    const [first] = failing;
    if (first) {
      const { family, ...outcome } = first;
      return working.length === 0 ? outcome : { ...outcome, onlyBy: family === 6 ? 'IPv6' : 'IPv4' };
    }
    const [one] = working;
    if (!one) throw new NoAnswer(address.host);
    const open = INSIDE.filter((place) => working.some((other) => other.open.includes(place)));
    return { ...one, tookMs: Math.max(...working.map(({ tookMs }) => tookMs)), open };
  } catch (error) {
    return failureOf(error);
  }
}

/** Checks one address; null if this machine has no route to it. */
async function checkWay(
  way: LookupAddress,
  address: IceAddress,
  { username = '', credential = '' }: Asked,
  by: Deadline,
): Promise<IceOutcome | null> {
  const began = performance.now();
  const who = { username, password: credential };
  const relayed = (wish: Attributes, places: string[]) =>
    withLine(address, way, by, (line) => relayBy(line, who, wish, places));
  try {
    const { answer, open } = isRelay(address)
      ? await relayed({}, INSIDE_IPV4)
      : { answer: await withLine(address, way, by, (line) => line.ask(request('binding', {}, null))), open: [] };
    const tookMs = Math.round(performance.now() - began);
    if (!answer.isSuccess) return { works: false, why: 'refused', code: answer.errorCode };
    // Few relays offer IPv6 addresses and browsers do not request them, but an attacker may.
    const further = isRelay(address) ? await relayed({ family: IPV6_WANTED }, INSIDE_IPV6).catch(() => null) : null;
    const seen = addressIn(answer.attributes[isRelay(address) ? 'relayed' : 'mapped'], answer.transaction);
    return { works: true, tookMs, address: seen, open: [...open, ...(further?.open ?? [])] };
  } catch (error) {
    if (error instanceof NoWayThere) return null;
    return failureOf(error);
  }
}

async function withLine<T>(
  address: IceAddress,
  way: LookupAddress,
  by: Deadline,
  use: (line: Line) => Promise<T>,
): Promise<T> {
  const line = await openLine(address, way, by);
  try {
    return await use(line);
  } finally {
    line.close();
  }
}

function failureOf(error: unknown): Fails {
  if (error instanceof NoSuchHost) return { works: false, why: 'no_host', code: null };
  if (error instanceof NoAnswer) return { works: false, why: 'no_answer', code: null };
  throw error;
}

const isRelay = ({ scheme }: IceAddress) => scheme === 'turn' || scheme === 'turns';

/** The server's first response holds the realm and nonce for the signature. */
async function relayBy(line: Line, who: { username: string; password: string }, more: Attributes, places: string[]) {
  const wish = { transport: UDP_TRANSPORT, ...more };
  const first = await line.ask(request('allocate', wish, null));
  const { realm, nonce } = first.attributes;
  if (first.isSuccess || !realm || !nonce) return { answer: first, open: [] };
  const by: Credentials = { ...who, realm, nonce };
  const answer = await line.ask(request('allocate', wish, by));
  if (!answer.isSuccess) return { answer, open: [] };
  const led = await Promise.all(places.map(async (place) => (await leadTo(line, by, place)).isSuccess));
  await line.ask(request('refresh', { lifetime: SECONDS(0) }, by));
  return { answer, open: places.filter((_, at) => led[at]) };
}

function leadTo(line: Line, by: Credentials, place: string): Promise<Answer> {
  const transaction = newTransaction();
  return line.ask(request('permission', { peer: peerOf(place, ANY_PORT, transaction) }, by, transaction));
}
