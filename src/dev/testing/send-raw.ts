import { Agent, request as send } from 'node:http';
import { seededRandom } from './seed.ts';

export type RawRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};
export type RawAnswer = { status: number; bytes: number; text: string };

const random = seededRandom();

/**
 * Sends requests as they are, one after the other unless `sockets` says how many at a time. Each names another address
 * as its own, which a server with TRUST_PROXY=1 believes, so that no limit hides what is behind it.
 */
export function rawClient(url: string, sockets = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const { hostname, port } = new URL(url);
  return {
    ask: ({ method, path, headers, body }: RawRequest): Promise<RawAnswer> =>
      new Promise((resolve, reject) => {
        const from = Array.from({ length: 4 }, () => Math.floor(random() * 256)).join('.');
        const sent = send({ hostname, port, method, path, agent, headers: { ...headers, 'x-forwarded-for': from } });
        let isAnswered = false;
        // A server that refuses a body before its end may hang up on the rest of it.
        sent.on('error', (error) => !isAnswered && reject(error));
        sent.on('response', (response) => {
          isAnswered = true;
          const chunks: Buffer[] = [];
          response.on('error', reject);
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const whole = Buffer.concat(chunks);
            resolve({ status: response.statusCode!, bytes: whole.length, text: whole.toString() });
          });
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
