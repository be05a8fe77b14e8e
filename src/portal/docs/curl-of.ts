import { jsonText } from './json-text.ts';

/** One call, with example values in place. */
export type Call = {
  method: string;
  url: string;
  query: [name: string, value: unknown][];
  idempotencyKey: boolean;
  body: unknown;
};

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The call as a command for a POSIX shell, with the access token in `$TOKEN`. */
export function curlOf({ method, url, query, idempotencyKey, body }: Call): string {
  const hasBody = body !== undefined;
  const first = ['curl'];
  if (query.length > 0) first.push('-G');
  if (method !== 'GET' && !(method === 'POST' && hasBody)) first.push(`-X ${method}`);
  const lines = [[...first, url].join(' '), '-H "Authorization: Bearer $TOKEN"'];
  if (idempotencyKey) lines.push("-H 'Idempotency-Key: example-0001'");
  for (const [name, value] of query) lines.push(`--data-urlencode ${quoted(`${name}=${textOf(value)}`)}`);
  if (hasBody) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(jsonText(body))}`);
  return lines.join(' \\\n  ');
}
