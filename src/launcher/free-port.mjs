import { createServer } from 'node:net';

/**
 * Tries to listen on a port.
 * @returns {Promise<{ port: number } | { errorCode: string }>} the port, or the error code
 */
export function tryPort(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve({ errorCode: error.code ?? error.message }));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve({ port: address.port }));
    });
  });
}

/** Below the ephemeral ports of Linux (from 32768) and macOS (from 49152). */
const MIN_PORT = 20_000;
const COUNT = 12_000;
/**
 * Not the next port, because some servers (for example coturn) also listen on that. Coprime to COUNT, so that each port
 * gets its turn.
 */
const STEP = 17;
/** Spreads the ports of processes that start one after another. */
let offset = process.pid * 97;

/**
 * Finds a port outside the ephemeral range, so that only a process that requests this number can take it before the
 * caller listens.
 * @param {number} [preferred]
 * @param {number} [reserved] a port that is free now, and on which something else listens soon
 * @returns {Promise<number>} the preferred port if it is free, else another one
 */
export async function freePort(preferred, reserved) {
  const isFree = async (port) => port !== reserved && Boolean((await tryPort(port)).port);
  if (preferred && (await isFree(preferred))) return preferred;
  for (;;) {
    offset += STEP;
    const port = MIN_PORT + (offset % COUNT);
    if (await isFree(port)) return port;
  }
}
