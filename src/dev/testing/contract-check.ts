import type { IncomingHttpHeaders } from 'node:http';
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
export function createContractCheck(document: Document): (request: RestRequest, answer: RestResponse) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  const schemaAt = (address: string): ValidateFunction => {
    const known = compiled.get(address) ?? ajv.compile({ $ref: address });
    compiled.set(address, known);
    return known;
  };
  const errors = pointerTo('components', 'schemas', 'Errors');

  function schemaFor(method: string, path: string, status: number): string | null {
    const template = templateOf(Object.keys(document.paths), path);
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = template && document.paths[template][verb];
    if (!operation) return errors;
    const response = operation.responses[String(status)];
    if (!response) return null;
    return response.$ref
      ? errors
      : pointerTo('paths', template, verb, 'responses', String(status), 'content', 'application/json', 'schema');
  }

  return (request, answer) => {
    const wrong: string[] = [];
    const { status, headers, body } = answer;
    const schema = schemaFor(request.method, request.path, status);
    if (schema === null) wrong.push(`the document knows no ${status} there`);
    else if (request.method !== 'HEAD') {
      const validate = schemaAt(schema);
      if (!validate(body)) wrong.push(ajv.errorsText(validate.errors, { separator: '\n  ' }));
    }
    if (!headers['request-id']) wrong.push('no Request-Id');
    if (!headers['content-type']?.startsWith('application/json')) wrong.push(`content type ${headers['content-type']}`);
    if (status === 201 && !headers.location) wrong.push('201 without Location');
    if (status === 401 && !headers['www-authenticate']?.startsWith('Bearer')) wrong.push('401 without a challenge');
    if (status === 405 && !headers.allow) wrong.push('405 without Allow');
    const isToWait = status === 429 || body?.errors?.[0]?.code === 'idempotency_key_in_use';
    if (isToWait && !headers['retry-after']) wrong.push(`${status} without Retry-After`);
    if (status >= 400 && request.method !== 'HEAD') {
      // A replay is the first response, with the first request's id.
      if (!headers['idempotent-replayed'] && body?.request_id !== headers['request-id'])
        wrong.push('request_id is not the Request-Id');
      if (!body?.errors?.every((error: { status: string }) => error.status === String(status)))
        wrong.push('an error says another status');
    }
    if (wrong.length > 0)
      throw new Error(
        `${request.method} ${request.path} answered ${status} against the contract:\n  ${wrong.join('\n  ')}\n${JSON.stringify(body)?.slice(0, 1000)}`,
      );
  };
}

/** The document's path template for a request path; a literal path is preferred to one with parameters. */
function templateOf(templates: string[], path: string): string | undefined {
  const [bare = ''] = path.split('?');
  const given = bare.split('/');
  const fits = (template: string) => {
    const parts = template.split('/');
    return (
      parts.length === given.length &&
      parts.every((part, i) => part === given[i] || (part.startsWith('{') && given[i] !== ''))
    );
  };
  return templates.find((template) => template === bare) ?? templates.find(fits);
}
