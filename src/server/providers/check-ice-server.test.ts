import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { checkIceServer, INSIDE } from './check-ice-server.ts';
import { decodeAddress, encodePeer, newTransaction } from './stun-message.ts';

const WITHIN_MS = 3000;
/**
 * A name server reports the name as unknown. A real lookup waits for a thread of libuv's pool, which other tests share.
 */
const unknown = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
/** No name server ever responds. */
const silent = () => new Promise<never>(() => {});

describe('reports a failure for', () => {
  test('an unknown name', async () => {
    expect(await checkIceServer({ url: 'stun:unknown.example.test' }, WITHIN_MS, unknown)).toMatchObject({
      why: 'no_host',
    });
  });

  test('a name that no name server resolves in time', async () => {
    for (const url of ['stun:silent.example.test', 'turns:silent.example.test'])
      expect(await checkIceServer({ url }, 300, silent)).toEqual({ works: false, why: 'no_answer', code: null });
  });

  test('a port without a server, by UDP and by TCP', async () => {
    for (const url of ['stun:127.0.0.1:9', 'turn:127.0.0.1:9?transport=tcp', 'turns:127.0.0.1:9'])
      expect(await checkIceServer({ url }, 300)).toEqual({ works: false, why: 'no_answer', code: null });
  });

  test('a server that sends only invalid responses', async () => {
    const server = createSocket('udp4');
    const babble = [Buffer.alloc(0), Buffer.from('HTTP/1.1 400 Bad Request'), Buffer.alloc(20), Buffer.alloc(3000, 1)];
    server.on('message', (_, { port, address }) => {
      for (const bytes of babble) server.send(bytes, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    expect(await checkIceServer({ url: `turn:127.0.0.1:${server.address().port}` }, 300)).toMatchObject({
      why: 'no_answer',
    });
    server.close();
  });

  test('a server that closes the connection or sends nothing', async () => {
    for (const take of [(socket: { destroy(): void }) => socket.destroy(), () => {}]) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        take(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const url = `turn:127.0.0.1:${port}?transport=tcp`;
      expect(await checkIceServer({ url }, 300)).toMatchObject({ works: false, why: 'no_answer' });
      server.close();
    }
  });
});

const HERE = { 4: '127.0.0.1', 6: '::1' } as const;
/** No TCP connection reaches it from any machine. */
const UNREACHABLE = 'ff0e::1';
type Family = keyof typeof HERE;
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === HERE[6]);

const servers: { close(): unknown }[] = [];
afterEach(() => void servers.splice(0).map((server) => server.close()));

describe('a name with addresses of both families', () => {
  const names =
    (...ways: { address: string; family: number }[]) =>
    async () =>
      ways;
  const both = names(
    ...[4 as const, 4 as const, 6 as const, 6 as const].map((family) => ({ address: HERE[family], family })),
  );
  /** Accepts every request of a family and counts them; on the given port, or any. */
  async function listen(family: Family, port = 0) {
    const server = createSocket(`udp${family}`);
    servers.push(server);
    const counted = { asked: 0, port: 0 };
    server.on('message', (bytes, from) => {
      counted.asked += 1;
      const response = Buffer.from(bytes.subarray(0, 20));
      response.writeUInt16BE(bytes.readUInt16BE(0) | 0x0100);
      response.writeUInt16BE(0, 2);
      server.send(response, from.port, from.address);
    });
    server.bind(port, HERE[family]);
    await once(server, 'listening');
    counted.port = server.address().port;
    return counted;
  }

  test.runIf(hasIpv6)('is checked by each', async () => {
    const by4 = await listen(4);
    const by6 = await listen(6, by4.port);
    expect(await checkIceServer({ url: `stun:turn.example.test:${by4.port}` }, WITHIN_MS, both)).toMatchObject({
      works: true,
    });
    expect(Math.min(by4.asked, by6.asked)).toBeGreaterThan(0);
  });

  test.runIf(hasIpv6).each([4, 6] as const)(
    'fails for the other family if it responds by IPv%i only',
    async (family) => {
      const { port } = await listen(family);
      const url = `stun:turn.example.test:${port}`;
      const onlyBy = family === 4 ? 'IPv6' : 'IPv4';
      expect(await checkIceServer({ url }, 300, both)).toEqual({ works: false, why: 'no_answer', code: null, onlyBy });
    },
  );

  test('is checked only by the family that this machine has', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          bytes.writeUInt16BE(bytes.readUInt16BE(0) | 0x0100);
          socket.write(bytes);
        }),
    );
    servers.push(server);
    server.listen(0, HERE[4]);
    await once(server, 'listening');
    const url = `stun:turn.example.test:${(server.address() as { port: number }).port}?transport=tcp`;
    const [opened, unreachable] = [
      { address: HERE[4], family: 4 },
      { address: UNREACHABLE, family: 6 },
    ];
    expect(await checkIceServer({ url }, WITHIN_MS, names(opened, unreachable))).toMatchObject({ works: true });
    expect(await checkIceServer({ url }, WITHIN_MS, names(unreachable))).toMatchObject({ why: 'no_answer' });
  });
});

test('the timeout limits the whole check, for any number of requests', async () => {
  const slow = createSocket('udp4');
  servers.push(slow);
  slow.on('message', (bytes, from) => {
    const isFirst = bytes.readUInt16BE(2) <= 16;
    // Realm and nonce first, then success; each after a delay.
    const more = isFirst ? Buffer.from('001400016100000000150001620000000009000400000401', 'hex') : Buffer.alloc(0);
    const response = Buffer.concat([bytes.subarray(0, 20), more]);
    response.writeUInt16BE(bytes.readUInt16BE(0) | (isFirst ? 0x0110 : 0x0100));
    response.writeUInt16BE(more.length, 2);
    setTimeout(() => slow.send(response, from.port, from.address), 150).unref();
  });
  slow.bind(0, HERE[4]);
  await once(slow, 'listening');
  const sendRequest = (timeoutMs: number) =>
    checkIceServer({ url: `turn:127.0.0.1:${slow.address().port}` }, timeoutMs);
  expect(await sendRequest(400)).toMatchObject({ works: false, why: 'no_answer' });
  expect(await sendRequest(2400), 'of each place at once').toMatchObject({ works: true, open: INSIDE });
});

test.each(INSIDE)('the address %s survives encoding and decoding', (place) => {
  const transaction = newTransaction();
  const hidden = encodePeer(place, 9, transaction);
  expect(hidden.includes(place)).toBe(false);
  const reported = decodeAddress(hidden, transaction);
  expect(new URL(`http://${reported}`).host).toBe(
    new URL(`http://${place.includes(':') ? `[${place}]` : place}:9`).host,
  );
});
