import { Agent, request as send } from 'node:http';
import { seededRandom } from './seed.ts';

export type RawRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};
export type RawResponse = { status: number; bytes: number; text: string };

const random = seededRandom();

/**
 * Sends requests unchanged, one at a time unless `sockets` allows more. Each has a random X-Forwarded-For, which a
 * server with TRUST_PROXY=1 uses, so that no rate limit hides the endpoint.
 */
export function rawClient(url: string, sockets = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const { hostname, port } = new URL(url);
  return {
    send: ({ method, path, headers, body }: RawRequest): Promise<RawResponse> =>
      new Promise((resolve, reject) => {
        const from = Array.from({ length: 4 }, () => Math.floor(random() * 256)).join('.');
        const sent = send({ hostname, port, method, path, agent, headers: { ...headers, 'x-forwarded-for': from } });
        let hasResponse = false;
        // A server that rejects a body early may close the connection before the rest is sent.
        sent.on('error', (error) => !hasResponse && reject(error));
        sent.on('response', (response) => {
          hasResponse = true;
          const chunks: Buffer[] = [];
          response.on('error', reject);
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const content = Buffer.concat(chunks);
            resolve({ status: response.statusCode!, bytes: content.length, text: content.toString() });
          });
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
