import { Agent, request as send } from 'node:http';
import { createContractCheck, type RestRequest, type RestResponse } from './contract-check.ts';

export type { RestRequest, RestResponse };

export type RestClient = {
  /** Sends a request, and throws when the OpenAPI document does not describe the response. */
  call(request: RestRequest): Promise<RestResponse>;
  close(): void;
};

/**
 * Creates a plain HTTP client of the public API that checks every response against `/api/v1/openapi.json` as served.
 */
export function restClient(baseUrl: string): RestClient {
  const agent = new Agent({ keepAlive: true });
  let check: Promise<ReturnType<typeof createContractCheck>> | undefined;
  const openCheck = async () =>
    createContractCheck((await exchange(agent, baseUrl, { method: 'GET', path: '/openapi.json' })).body);
  return {
    async call(request) {
      check ??= openCheck();
      const checkResponse = await check;
      const response = await exchange(agent, baseUrl, request);
      checkResponse(request, response);
      return response;
    },
    close: () => agent.destroy(),
  };
}

function exchange(agent: Agent, baseUrl: string, request: RestRequest): Promise<RestResponse> {
  const { method, path, token, body, raw } = request;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers: Record<string, string | number> = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }),
    ...request.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = send(`${baseUrl}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        try {
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: text === '' ? null : JSON.parse(text),
          });
        } catch {
          reject(new Error(`${method} ${path} answered ${response.statusCode} with no JSON: ${text.slice(0, 500)}`));
        }
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}
