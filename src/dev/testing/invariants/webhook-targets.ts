import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Resolve } from '#server/providers/webhook-http.ts';

/** Every spelling of an address that webhooks must not be sent to, and invalid URLs. */
export const FORBIDDEN_TARGETS = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0x7f.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://①②⑦.⓪.⓪.①/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://100.64.0.1/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b::169.254.169.254]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[2001:db8::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[ff02::1]/',
  'https://[100::1]/',
  'https://[5f00::1]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://app.localhost/',
  'https://localhost.localdomain/',
  'https://router.local/',
  'https://db.internal/',
  'https://printer.lan/',
  'https://nas.home.arpa/',
  'https://intranet/',
  'https://user@example.com/',
  'https://user:word@example.com/',
  'https://example.com@127.0.0.1/',
  'https://example.com:25/',
  'https://example.com:22/',
  'https://example.com:80/',
  'https://example.com/#here',
  'http://example.com/',
  'http://93.184.216.34/',
  'http:/example.com/',
  'https:example.com',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,hello',
  '//example.com/',
  'example.com',
  'https://',
  'https://exa mple.com/',
  'https://%00/',
  '',
];

/** @returns the URLs that the given check accepts */
export const acceptedTargets = (check: (url: string) => unknown): string[] =>
  FORBIDDEN_TARGETS.filter((url) => {
    try {
      check(url);
      return true;
    } catch {
      return false;
    }
  });

/**
 * Returns how a sender can reach an internal server: through a name that resolves to it, or a redirect from a receiver.
 */
export async function internalRequests(ways: {
  byName: (url: string, resolve: Resolve) => Promise<unknown>;
  byRedirect: (url: string) => Promise<unknown>;
}): Promise<string[]> {
  let connections = 0;
  const inside = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.destroy();
  });
  const outside = createServer((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${portOf(inside)}/` }).end(),
  );
  for (const server of [inside, outside])
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const routes: string[] = [];
  const resolve: Resolve = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  await ways.byName(`https://hooks.example.com:${portOf(inside)}/`, resolve).catch(() => undefined);
  if (connections > 0) routes.push('a name');
  connections = 0;
  await ways.byRedirect(`http://127.0.0.1:${portOf(outside)}/`).catch(() => undefined);
  if (connections > 0) routes.push('a redirect');
  outside.closeAllConnections();
  await Promise.all([inside, outside].map((server) => new Promise((resolve) => server.close(resolve))));
  return routes;
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
