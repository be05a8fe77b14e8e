import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type Attributes,
  type Credentials,
  decodeAddress,
  encodePeer,
  encodeSeconds,
  HEADER_BYTES,
  IPV6_WANTED,
  newTransaction,
  parseResponse,
  request,
  type StunResponse,
  UDP_TRANSPORT,
} from './stun-message.ts';

/** The first retransmission over UDP; browsers use the same (RFC 8489 §6.2.1). */
const FIRST_AGAIN_MS = 500;
const PORTS = { stun: 3478, turn: 3478, stuns: 5349, turns: 5349 };

type IceAddress = {
  scheme: keyof typeof PORTS;
  host: string;
  port: number;
  transport: 'udp' | 'tcp' | 'tls';
};

/** Parses an address in the format of the settings: `turns:host:443?transport=tcp`. */
function readIceUrl(url: string): IceAddress {
  const [, scheme = '', host = '', port, asked] =
    /^(\w+):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(\w+))?$/.exec(url) ?? [];
  const known = scheme.toLowerCase() as IceAddress['scheme'];
  const transport = known.endsWith('s') ? 'tls' : asked?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
  return { scheme: known, host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? PORTS[known]), transport };
}

/** A connection to a server, also for concurrent requests. `ask` rejects when no response arrives in time. */
type Line = { ask(message: Buffer): Promise<StunResponse>; close(): void };
class NoAnswer extends Error {}
class NoSuchHost extends Error {}
/** This machine has no address of that family, so the check says nothing about the server. */
class NoWayThere extends Error {}

type Wire = { send(message: Buffer): void; close(): void };
/** The time by which everything must be done, by `performance.now()`. */
type Deadline = number;
const leftUntil = (deadline: Deadline) => Math.max(0, deadline - performance.now());

/** Resolves a name; rejects for an unknown one. */
type FindHost = (host: string) => Promise<LookupAddress[]>;
const lookUp: FindHost = (host) => lookup(host, { all: true });

/** Returns the first address of each family. @throws {NoSuchHost | NoAnswer} */
async function findWays({ host }: IceAddress, by: Deadline, find: FindHost = lookUp): Promise<LookupAddress[]> {
  const found = await findHost(host, by, find);
  const ways = [4, 6].flatMap((family) => found.find((one) => one.family === family) ?? []);
  if (ways.length === 0) throw new NoSuchHost(host);
  return ways;
}

/** Opens the connection. @throws {NoAnswer | NoWayThere} */
async function openLine(address: IceAddress, way: LookupAddress, by: Deadline): Promise<Line> {
  const { host, transport } = address;
  const asked = new Set<{ hear: Heard; fail: (error: Error) => void }>();
  const onMessage: Heard = (message) => {
    for (const one of asked) one.hear(message);
  };
  const onError: Failed = (error) => {
    for (const one of asked) one.fail(meaningOf(error, host));
  };
  const open = transport === 'udp' ? openUdp : openStream;
  const wire = await open({ ...address, ...way }, by, onMessage, onError);
  return {
    close() {
      for (const one of asked) one.fail(new NoAnswer(host));
      wire.close();
    },
    ask: (message) =>
      new Promise<StunResponse>((resolve, reject) => {
        let again: ReturnType<typeof setTimeout> | undefined;
        const one = {
          hear(bytes: Buffer) {
            const answer = parseResponse(message, bytes);
            if (!answer) return;
            stop();
            resolve(answer);
          },
          fail(error: Error) {
            stop();
            reject(error);
          },
        };
        asked.add(one);
        const end = setTimeout(() => one.fail(new NoAnswer(host)), leftUntil(by));
        const stop = () => {
          asked.delete(one);
          clearTimeout(end);
          clearTimeout(again);
        };
        const send = (waitMs: number) => {
          wire.send(message);
          if (transport === 'udp') again = setTimeout(() => send(2 * waitMs), waitMs);
        };
        send(FIRST_AGAIN_MS);
      }),
  };
}

const NO_WAY = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const meaningOf = (error: NodeJS.ErrnoException | undefined, host: string): Error =>
  NO_WAY.includes(error?.code ?? '') ? new NoWayThere(host) : new NoAnswer(host);

/** A resolver with unresponsive name servers retries for half a minute, so the wait is limited here. */
async function findHost(host: string, by: Deadline, find: FindHost): Promise<LookupAddress[]> {
  let late: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new NoAnswer(host)), leftUntil(by));
  });
  const found = find(host).catch(() => {
    throw new NoSuchHost(host);
  });
  try {
    return await Promise.race([found, silence]);
  } finally {
    clearTimeout(late);
  }
}

type Where = IceAddress & { address: string; family: number };
type Heard = (message: Buffer) => void;

type Failed = (error?: Error) => void;

async function openUdp({ address, family, port }: Where, _: Deadline, hear: Heard, fail: Failed): Promise<Wire> {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  socket.on('message', hear);
  socket.on('error', fail);
  return {
    send: (message) => socket.send(message, port, address, (error) => error && fail(error)),
    close: () => socket.close(),
  };
}

function openStream(where: Where, by: Deadline, hear: Heard, fail: Failed): Promise<Wire> {
  const { address, port, host, transport } = where;
  return new Promise((resolve, reject) => {
    // Verifies the certificate like a browser.
    const socket =
      transport === 'tls'
        ? connectTls({ host: address, port, ...(isIP(host) === 0 && { servername: host }) })
        : connect({ host: address, port });
    const refuse = (error?: Error) => {
      socket.destroy();
      reject(meaningOf(error, host));
      fail(error);
    };
    const late = setTimeout(refuse, leftUntil(by));
    socket.on('error', refuse);
    socket.on('close', () => fail());
    socket.once(transport === 'tls' ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      resolve({ send: (message) => socket.write(message), close: () => socket.destroy() });
    });
    let rest = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      // A stream does not delimit messages; each header has its length.
      while (rest.length >= HEADER_BYTES && rest.length >= HEADER_BYTES + rest.readUInt16BE(2)) {
        const length = HEADER_BYTES + rest.readUInt16BE(2);
        hear(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    });
    socket.once('close', () => clearTimeout(late));
  });
}

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
    const seen = decodeAddress(answer.attributes[isRelay(address) ? 'relayed' : 'mapped'], answer.transaction);
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
  await line.ask(request('refresh', { lifetime: encodeSeconds(0) }, by));
  return { answer, open: places.filter((_, at) => led[at]) };
}

function leadTo(line: Line, by: Credentials, place: string): Promise<StunResponse> {
  const transaction = newTransaction();
  return line.ask(request('permission', { peer: encodePeer(place, ANY_PORT, transaction) }, by, transaction));
}
