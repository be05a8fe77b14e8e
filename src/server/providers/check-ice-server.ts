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
  const [, scheme = '', host = '', port, protocol] =
    /^(\w+):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(\w+))?$/.exec(url) ?? [];
  const lowerScheme = scheme.toLowerCase() as IceAddress['scheme'];
  const transport = lowerScheme.endsWith('s') ? 'tls' : protocol?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
  return {
    scheme: lowerScheme,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? PORTS[lowerScheme]),
    transport,
  };
}

/** A connection to a server, also for concurrent requests. `send` rejects when no response arrives in time. */
type Connection = { send(message: Buffer): Promise<StunResponse>; close(): void };
class NoResponse extends Error {}
class NoSuchHost extends Error {}
/** This machine has no address of that family, so the check says nothing about the server. */
class NoRoute extends Error {}

type Wire = { send(message: Buffer): void; close(): void };
/** The time by which everything must be done, by `performance.now()`. */
type Deadline = number;
const leftUntil = (deadline: Deadline) => Math.max(0, deadline - performance.now());

/** Resolves a name; rejects for an unknown one. */
type FindHost = (host: string) => Promise<LookupAddress[]>;
const lookUp: FindHost = (host) => lookup(host, { all: true });

/** Returns the first address of each family. @throws {NoSuchHost | NoResponse} */
async function findAddresses({ host }: IceAddress, by: Deadline, find: FindHost = lookUp): Promise<LookupAddress[]> {
  const all = await findHost(host, by, find);
  const addresses = [4, 6].flatMap((family) => all.find((one) => one.family === family) ?? []);
  if (addresses.length === 0) throw new NoSuchHost(host);
  return addresses;
}

/** Opens the connection. @throws {NoResponse | NoRoute} */
async function openConnection(address: IceAddress, way: LookupAddress, by: Deadline): Promise<Connection> {
  const { host, transport } = address;
  const pending = new Set<{ receive: OnMessage; fail: (error: Error) => void }>();
  const onMessage: OnMessage = (message) => {
    for (const one of pending) one.receive(message);
  };
  const onError: OnError = (error) => {
    for (const one of pending) one.fail(toNetworkError(error, host));
  };
  const open = transport === 'udp' ? openUdp : openStream;
  const wire = await open({ ...address, ...way }, by, onMessage, onError);
  return {
    close() {
      for (const one of pending) one.fail(new NoResponse(host));
      wire.close();
    },
    send: (message) =>
      new Promise<StunResponse>((resolve, reject) => {
        let retryTimer: ReturnType<typeof setTimeout> | undefined;
        const one = {
          receive(bytes: Buffer) {
            const response = parseResponse(message, bytes);
            if (!response) return;
            stop();
            resolve(response);
          },
          fail(error: Error) {
            stop();
            reject(error);
          },
        };
        pending.add(one);
        const end = setTimeout(() => one.fail(new NoResponse(host)), leftUntil(by));
        const stop = () => {
          pending.delete(one);
          clearTimeout(end);
          clearTimeout(retryTimer);
        };
        const send = (waitMs: number) => {
          wire.send(message);
          if (transport === 'udp') retryTimer = setTimeout(() => send(2 * waitMs), waitMs);
        };
        send(FIRST_AGAIN_MS);
      }),
  };
}

const NO_ROUTE = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const toNetworkError = (error: NodeJS.ErrnoException | undefined, host: string): Error =>
  NO_ROUTE.includes(error?.code ?? '') ? new NoRoute(host) : new NoResponse(host);

/** A resolver with unresponsive name servers retries for half a minute, so the wait is limited here. */
async function findHost(host: string, by: Deadline, find: FindHost): Promise<LookupAddress[]> {
  let late: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new NoResponse(host)), leftUntil(by));
  });
  const resolution = find(host).catch(() => {
    throw new NoSuchHost(host);
  });
  try {
    return await Promise.race([resolution, silence]);
  } finally {
    clearTimeout(late);
  }
}

type Where = IceAddress & { address: string; family: number };
type OnMessage = (message: Buffer) => void;

type OnError = (error?: Error) => void;

async function openUdp(
  { address, family, port }: Where,
  _: Deadline,
  receive: OnMessage,
  fail: OnError,
): Promise<Wire> {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  socket.on('message', receive);
  socket.on('error', fail);
  return {
    send: (message) => socket.send(message, port, address, (error) => error && fail(error)),
    close: () => socket.close(),
  };
}

function openStream(where: Where, by: Deadline, receive: OnMessage, fail: OnError): Promise<Wire> {
  const { address, port, host, transport } = where;
  return new Promise((resolve, reject) => {
    // Verifies the certificate like a browser.
    const socket =
      transport === 'tls'
        ? connectTls({ host: address, port, ...(isIP(host) === 0 && { servername: host }) })
        : connect({ host: address, port });
    const abort = (error?: Error) => {
      socket.destroy();
      reject(toNetworkError(error, host));
      fail(error);
    };
    const late = setTimeout(abort, leftUntil(by));
    socket.on('error', abort);
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
        receive(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    });
    socket.once('close', () => clearTimeout(late));
  });
}

/** Addresses of its own network that a relay must not reach: itself, neighbors, a cloud's metadata service. */
const INSIDE_IPV4 = ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254'];
const INSIDE_IPV6 = [
  ...['::1', 'fd00::1', 'fe80::1', 'fec0::1', 'fd00:ec2::254'],
  ...['::ffff:10.0.0.1', '::a00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::10.0.0.1'],
];
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

type IceServer = { url: string; username?: string; credential?: string };

/**
 * Requests the public address from a STUN server, or a relay from a TURN server, which is released at once. Checks one
 * address of each family that the name resolves to, unless this machine has no route there: a browser may have only one
 * family.
 * @param timeoutMs for the whole check
 */
export async function checkIceServer(server: IceServer, timeoutMs: number, find?: FindHost): Promise<IceOutcome> {
  const address = readIceUrl(server.url);
  const by = performance.now() + timeoutMs;
  try {
    const addresses = await findAddresses(address, by, find);
    const results = await Promise.all(
      addresses.map(async (way) => ({ ...way, outcome: await checkAddress(way, address, server, by) })),
    );
    const failing = results.flatMap(({ family, outcome }) =>
      outcome?.works === false ? [{ ...outcome, family }] : [],
    );
    const working = results.flatMap(({ outcome }) => (outcome?.works ? [outcome] : []));
    const [first] = failing;
    if (first) {
      const { family, ...outcome } = first;
      return working.length === 0 ? outcome : { ...outcome, onlyBy: family === 6 ? 'IPv6' : 'IPv4' };
    }
    const [one] = working;
    if (!one) throw new NoResponse(address.host);
    const open = INSIDE.filter((place) => working.some((other) => other.open.includes(place)));
    return { ...one, tookMs: Math.max(...working.map(({ tookMs }) => tookMs)), open };
  } catch (error) {
    return failureOf(error);
  }
}

/** Checks one address; null if this machine has no route to it. */
async function checkAddress(
  way: LookupAddress,
  address: IceAddress,
  { username = '', credential = '' }: IceServer,
  by: Deadline,
): Promise<IceOutcome | null> {
  const startedAt = performance.now();
  const credentials = { username, password: credential };
  const relayed = (attributes: Attributes, places: string[]) =>
    withConnection(address, way, by, (connection) => relayBy(connection, credentials, attributes, places));
  try {
    const { response, open } = isRelay(address)
      ? await relayed({}, INSIDE_IPV4)
      : {
          response: await withConnection(address, way, by, (connection) =>
            connection.send(request('binding', {}, null)),
          ),
          open: [],
        };
    const tookMs = Math.round(performance.now() - startedAt);
    if (!response.isSuccess) return { works: false, why: 'refused', code: response.errorCode };
    // Few relays offer IPv6 addresses and browsers do not request them, but an attacker may.
    const further = isRelay(address) ? await relayed({ family: IPV6_WANTED }, INSIDE_IPV6).catch(() => null) : null;
    const decoded = decodeAddress(response.attributes[isRelay(address) ? 'relayed' : 'mapped'], response.transaction);
    return { works: true, tookMs, address: decoded, open: [...open, ...(further?.open ?? [])] };
  } catch (error) {
    if (error instanceof NoRoute) return null;
    return failureOf(error);
  }
}

async function withConnection<T>(
  address: IceAddress,
  way: LookupAddress,
  by: Deadline,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(address, way, by);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

function failureOf(error: unknown): Fails {
  if (error instanceof NoSuchHost) return { works: false, why: 'no_host', code: null };
  if (error instanceof NoResponse) return { works: false, why: 'no_answer', code: null };
  throw error;
}

const isRelay = ({ scheme }: IceAddress) => scheme === 'turn' || scheme === 'turns';

/** The server's first response holds the realm and nonce for the signature. */
async function relayBy(
  connection: Connection,
  credentials: { username: string; password: string },
  more: Attributes,
  places: string[],
) {
  const attributes = { transport: UDP_TRANSPORT, ...more };
  const first = await connection.send(request('allocate', attributes, null));
  const { realm, nonce } = first.attributes;
  if (first.isSuccess || !realm || !nonce) return { response: first, open: [] };
  const by: Credentials = { ...credentials, realm, nonce };
  const response = await connection.send(request('allocate', attributes, by));
  if (!response.isSuccess) return { response, open: [] };
  const permitted = await Promise.all(
    places.map(async (place) => (await requestPermission(connection, by, place)).isSuccess),
  );
  await connection.send(request('refresh', { lifetime: encodeSeconds(0) }, by));
  return { response, open: places.filter((_, at) => permitted[at]) };
}

function requestPermission(connection: Connection, by: Credentials, place: string): Promise<StunResponse> {
  const transaction = newTransaction();
  return connection.send(request('permission', { peer: encodePeer(place, ANY_PORT, transaction) }, by, transaction));
}
