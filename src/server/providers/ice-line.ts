import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Answer, answerTo, HEADER_BYTES } from './stun-message.ts';

/** The first retransmission over UDP; browsers use the same (RFC 8489 §6.2.1). */
const FIRST_AGAIN_MS = 500;
const PORTS = { stun: 3478, turn: 3478, stuns: 5349, turns: 5349 };

export type IceAddress = {
  scheme: keyof typeof PORTS;
  host: string;
  port: number;
  transport: 'udp' | 'tcp' | 'tls';
};

/** Parses an address in the format of the settings: `turns:host:443?transport=tcp`. */
export function readIceUrl(url: string): IceAddress {
  const [, scheme = '', host = '', port, asked] =
    /^(\w+):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(\w+))?$/.exec(url) ?? [];
  const known = scheme.toLowerCase() as IceAddress['scheme'];
  const transport = known.endsWith('s') ? 'tls' : asked?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
  return { scheme: known, host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? PORTS[known]), transport };
}

/** A connection to a server, also for concurrent requests. `ask` rejects when no response arrives in time. */
export type Line = { ask(message: Buffer): Promise<Answer>; close(): void };
export class NoAnswer extends Error {}
export class NoSuchHost extends Error {}
/** This machine has no address of that family, so the check says nothing about the server. */
export class NoWayThere extends Error {}

type Wire = { send(message: Buffer): void; close(): void };
/** The time by which everything must be done, by `performance.now()`. */
export type Deadline = number;
const leftUntil = (deadline: Deadline) => Math.max(0, deadline - performance.now());

/** Resolves a name; rejects for an unknown one. */
export type FindHost = (host: string) => Promise<LookupAddress[]>;
const lookUp: FindHost = (host) => lookup(host, { all: true });

/** Returns the first address of each family. @throws {NoSuchHost | NoAnswer} */
export async function findWays({ host }: IceAddress, by: Deadline, find: FindHost = lookUp): Promise<LookupAddress[]> {
  const found = await findHost(host, by, find);
  const ways = [4, 6].flatMap((family) => found.find((one) => one.family === family) ?? []);
  if (ways.length === 0) throw new NoSuchHost(host);
  return ways;
}

/** Opens the connection. @throws {NoAnswer | NoWayThere} */
export async function openLine(address: IceAddress, way: LookupAddress, by: Deadline): Promise<Line> {
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
      new Promise<Answer>((resolve, reject) => {
        let again: ReturnType<typeof setTimeout> | undefined;
        const one = {
          hear(bytes: Buffer) {
            const answer = answerTo(message, bytes);
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
