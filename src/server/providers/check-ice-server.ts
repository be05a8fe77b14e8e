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

/** Places of its own network that a relay must lead nobody to: itself, neighbours, a cloud's metadata. */
const INSIDE_IPV4 = ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254'];
const INSIDE_IPV6 = ['::1', 'fd00::1', 'fe80::1', 'fd00:ec2::254', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1'];
export const INSIDE = [...INSIDE_IPV4, ...INSIDE_IPV6];
const ANY_PORT = 9;

type Works = { works: true; tookMs: number; address: string | null; open: string[] };
type Fails = { works: false; why: 'no_host' | 'no_answer' | 'refused'; code: number | null; onlyBy?: 'IPv4' | 'IPv6' };
/**
 * How a STUN or TURN server answered. `open`: of `INSIDE`, what it would have led us to. `no_host`: the name is not known.
 * `refused`: with the number that it said (401: the secret is another one; 486: too many relays at once). `onlyBy`: it works
 * by the other family of addresses.
 */
export type IceOutcome = Works | Fails;

type Asked = { url: string; username?: string; credential?: string };

/**
 * Asks a STUN server how we look from outside, a TURN server for a relay, which is given back at once. Of each family that
 * its name leads to one address is asked, unless this machine has no way there: a browser may have either family alone.
 * @param timeoutMs for all of it
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

/** By one way; null where this machine has none. */
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
    // Few relays have addresses of IPv6, and no browser asks for one; somebody who means harm does.
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

/** The server says first who it is and what to sign with. */
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
