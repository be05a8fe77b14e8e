import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type RestRequest = {
  method: string;
  /** Relative to `/api/v1`, percent-encoded, with the query string. */
  path: string;
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent verbatim, instead of `body`. */
  raw?: string | Uint8Array;
};
export type RestResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the wire's shape is what the suites assert
  body: any;
};
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked by name
type Document = any;
const DOCUMENT = 'https://openapi.example.test/document';
const pointerTo = (...parts: string[]) =>
  `${DOCUMENT}#${parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`;

/**
 * Returns a function that checks a response against the OpenAPI document: status, body, required headers and consistent
 * error objects. It throws with all violations.
 */
function createContractCheck(document: Document): (request: RestRequest, reply: RestResponse) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  const schemaAt = (address: string): ValidateFunction => {
    const validate = compiled.get(address) ?? ajv.compile({ $ref: address });
    compiled.set(address, validate);
    return validate;
  };
  const errors = pointerTo('components', 'schemas', 'Errors');

  /** The path's template and the documented operation, if there is one. */
  function findOperation(method: string, path: string): { at: [template: string, verb: string]; operation?: Document } {
    const template = templateOf(Object.keys(document.paths), path) ?? '';
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    return { at: [template, verb], operation: document.paths[template]?.[verb] };
  }
  function schemaFor(method: string, path: string, status: number): string | null {
    const { at, operation } = findOperation(method, path);
    if (!operation) return errors;
    const response = operation.responses[String(status)];
    if (!response) return null;
    return response.$ref
      ? errors
      : pointerTo('paths', ...at, 'responses', String(status), 'content', 'application/json', 'schema');
  }

  return (request, reply) => {
    const violations: string[] = [];
    const { status, headers, body } = reply;
    const schema = schemaFor(request.method, request.path, status);
    if (schema === null) violations.push(`the document knows no ${status} there`);
    else if (request.method !== 'HEAD') {
      const validate = schemaAt(schema);
      if (!validate(body)) violations.push(ajv.errorsText(validate.errors, { separator: '\n  ' }));
    }
    if (!headers['request-id']) violations.push('no Request-Id');
    if (!headers['content-type']?.startsWith('application/json'))
      violations.push(`content type ${headers['content-type']}`);
    if (status === 201 && !headers.location) violations.push('201 without Location');
    if (status === 401 && !headers['www-authenticate']?.startsWith('Bearer'))
      violations.push('401 without a challenge');
    if (status === 405 && !headers.allow) violations.push('405 without Allow');
    const isToWait = status === 429 || body?.errors?.[0]?.code === 'idempotency_key_in_use';
    if (isToWait && !headers['retry-after']) violations.push(`${status} without Retry-After`);
    if (status >= 400 && request.method !== 'HEAD') {
      // A replay is the first response, with the first request's id.
      if (!headers['idempotent-replayed'] && body?.request_id !== headers['request-id'])
        violations.push('request_id is not the Request-Id');
      if (!body?.errors?.every((error: { status: string }) => error.status === String(status)))
        violations.push('an error says another status');
      const codes = findOperation(request.method, request.path).operation?.['x-error-codes'];
      for (const { code } of body?.errors ?? [])
        if (codes && !codes.includes(code)) violations.push(`the document knows no ${code} there`);
    }
    if (violations.length > 0)
      throw new Error(
        `${request.method} ${request.path} answered ${status} against the contract:\n  ${violations.join('\n  ')}\n${JSON.stringify(body)?.slice(0, 1000)}`,
      );
  };
}

/** The document's path template for a request path; a literal path is preferred to one with parameters. */
function templateOf(templates: string[], path: string): string | undefined {
  const [pathname = ''] = path.split('?');
  const segments = pathname.split('/');
  const fits = (template: string) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, i) => part === segments[i] || (part.startsWith('{') && segments[i] !== ''))
    );
  };
  return templates.find((template) => template === pathname) ?? templates.find(fits);
}

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

export type Credentials = { clientId: string; clientSecret: string };

/** Gets a token from the token endpoint, by client credentials unless the form says otherwise. */
export async function requestToken(
  url: string,
  { clientId, clientSecret }: Credentials,
  form: Record<string, string> = { grant_type: 'client_credentials' },
): Promise<string> {
  const response = await fetch(`${url}/identity/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams(form),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
