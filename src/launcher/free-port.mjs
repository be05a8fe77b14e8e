import { createServer } from 'node:net';

/** @returns {Promise<{ port: number } | { fault: string }>} what listening there comes to: a port, or an error's code */
export function tryPort(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve({ fault: error.code ?? error.message }));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve({ port: address.port }));
    });
  });
}

/** Below the ports that Linux (from 32768) and macOS (from 49152) give to outgoing connections and to port 0. */
const LOWEST = 20_000;
const COUNT = 12_000;
/** Not the next port: some servers, coturn for one, listen on that too. Prime to COUNT, so that each port gets its turn. */
const STEP = 17;
/** Far apart for processes that start one after another. */
let drawn = process.pid * 97;

/**
 * A port that only a process which asks for this very number can take before the caller listens on it.
 * @returns {Promise<number>} the preferred port when it is free, else another one
 */
export async function freePort(preferred) {
  if (preferred && (await tryPort(preferred)).port) return preferred;
  for (;;) {
    drawn += STEP;
    const port = LOWEST + (drawn % COUNT);
    if ((await tryPort(port)).port) return port;
  }
}
