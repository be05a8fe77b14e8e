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

/** @returns {Promise<number>} the preferred port when it is free, else one that the system picks */
export async function freePort(preferred = 0) {
  const { port } = await tryPort(preferred);
  return port ?? freePort();
}
