import { type Call, queryPairs, urlOf } from './call.ts';
import { jsonText } from './json-text.ts';

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call as a command for a POSIX shell, with the access token in `$TOKEN`. */
export function curlOf(call: Call): string {
  const { method, idempotencyKey, body } = call;
  const query = queryPairs(call);
  const hasBody = body !== undefined;
  const first = ['curl'];
  if (query.length > 0) first.push('-G');
  if (method !== 'GET' && !(method === 'POST' && hasBody)) first.push(`-X ${method}`);
  const lines = [[...first, urlOf(call)].join(' '), '-H "Authorization: Bearer $TOKEN"'];
  if (idempotencyKey) lines.push('-H "Idempotency-Key: $(openssl rand -hex 16)"');
  for (const [name, value] of query) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  if (hasBody) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(jsonText(body))}`);
  return lines.join(' \\\n  ');
}
