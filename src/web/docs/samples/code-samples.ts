import type { Samples } from './languages.ts';

/** An API call with example values. */
export type Call = {
  method: string;
  /** The route as in the reference: `/patients/{id}`. */
  route: string;
  baseUrl: string;
  path: Record<string, unknown>;
  query: [name: string, value: unknown][];
  /** True if the call accepts the header `Idempotency-Key`. */
  idempotencyKey: boolean;
  body: unknown;
  /** The response: the model's name, one or a list, paginated or not. */
  response: { name: string; isList: boolean; isPaged: boolean };
};

/** The full URL without the query. */
const urlOf = ({ baseUrl, route, path }: Call): string =>
  baseUrl + route.replace(/\{(\w+)\}/g, (_part, name: string) => encodeURIComponent(String(path[name])));

/** The query as pairs; an array parameter repeats its bracketed name for each value. */
const queryPairs = ({ query }: Call): [name: string, value: string][] =>
  query.flatMap(([name, value]) =>
    [value].flat().map((entry): [string, string] => [name, typeof entry === 'string' ? entry : JSON.stringify(entry)]),
  );

export const samplesOf = (call: Call): Samples => ({
  curl: curlOf(call),
  typescript: typescriptOf(call),
  python: pythonOf(call),
});

/** Where the reader finds the client secret. */
const SECRET = `export CLIENT_SECRET='…' # shown once, when made; a sandbox: client_secret of .run/card.json`;

/** The code at the top of a page that gets a token. */
export function tokenSamples(addresses: { baseUrl: string; tokenUrl: string; clientId: string }): Samples {
  const { baseUrl, tokenUrl, clientId } = addresses;
  return {
    curl: `${SECRET}
TOKEN=$(curl -s -u "${clientId}:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  ${tokenUrl} | jq -r .access_token)`,
    typescript: `// ${SECRET}
import { clientCredentials, createClient } from '@carelane/client';

const carelane = createClient({
  baseUrl: '${baseUrl}',
  tokens: clientCredentials({
    tokenUrl: '${tokenUrl}',
    clientId: '${clientId}',
    clientSecret: process.env.CLIENT_SECRET ?? '',
  }),
});`,
    python: `# ${SECRET}
# pip install requests; then: export TOKEN=$(python3 get_token.py)
import os

import requests

answer = requests.post(
    "${tokenUrl}",
    auth=("${clientId}", os.environ["CLIENT_SECRET"]),
    data={"grant_type": "client_credentials"},
    timeout=30,
)
answer.raise_for_status()
print(answer.json()["access_token"])`,
  };
}

/** The syntax of values in a language. */
type Syntax = {
  string(value: string): string;
  key(name: string): string;
  keyword(value: boolean | null): string;
};

/** The maximum line width; wider values have one line for each entry. */
const MAX_WIDTH = 56;

/**
 * Formats a JSON value as a literal.
 * @param step spaces for each level of nesting
 * @param indent spaces before the literal
 */
export function literal(value: unknown, syntax: Syntax, step: number, indent = 0): string {
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value === 'boolean' || value === null) return syntax.keyword(value);
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const inner = indent + step;
  const entries = isList
    ? value.map((entry) => literal(entry, syntax, step, inner))
    : Object.entries(value)
        .filter(([, entry]) => entry !== undefined)
        .map(([name, entry]) => `${syntax.key(name)}: ${literal(entry, syntax, step, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const space = isList ? '' : ' ';
  const line = `${open}${space}${entries.join(', ')}${space}${close}`;
  if (indent + line.length <= MAX_WIDTH && !line.includes('\n')) return line;
  const margin = ' '.repeat(inner);
  return `${open}\n${entries.map((entry) => `${margin}${entry},\n`).join('')}${' '.repeat(indent)}${close}`;
}

/** Indented JSON, with an array of one scalar value on one line. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/\[\s+("(?:[^"\\]|\\.)*"|-?[\d.]+)\s+\]/g, '[$1]');

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

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
  for (const [name, value] of query) lines.push(`--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  if (hasBody) lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(jsonText(body))}`);
  return lines.join(' \\\n  ');
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const typescriptString = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const TYPESCRIPT: Syntax = {
  string: typescriptString,
  key: (name) => (IDENTIFIER.test(name) ? name : typescriptString(name)),
  keyword: String,
};

const variable = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/**
 * The call with `@carelane/client`, whose instance `carelane` is created at the top of the page. The client sends
 * `Idempotency-Key` automatically.
 */
export function typescriptOf({ method, route, path, query, body, response }: Call): string {
  const options = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(query.length > 0 && {
      query: Object.fromEntries(query),
    }),
    ...(body !== undefined && { body }),
  };
  const argument = Object.keys(options).length > 0 ? `, ${literal(options, TYPESCRIPT, 2)}` : '';
  const name = variable(response.name);
  if (response.isPaged)
    return `for await (const ${name} of carelane.all('${route}'${argument})) {\n  console.log(${name});\n}`;
  const result = response.isList ? `${name}List` : name;
  return `const ${result} = await carelane.${method.toLowerCase()}('${route}'${argument});\nconsole.log(${result});`;
}

const PYTHON: Syntax = {
  // Python has the same string escapes as JSON.
  string: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  keyword: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
};
const PYTHON_INDENT = 4;

/**
 * The call as a Python program with the package `requests`, and the access token in the environment variable `TOKEN`.
 */
export function pythonOf(call: Call): string {
  const query = queryPairs(call);
  const token = `"Authorization": f"Bearer {os.environ['TOKEN']}"`;
  const headers = call.idempotencyKey
    ? `{\n        ${token},\n        "Idempotency-Key": str(uuid.uuid4()),\n    }`
    : `{${token}}`;
  const lines = [
    JSON.stringify(urlOf(call)),
    `headers=${headers}`,
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query), PYTHON, PYTHON_INDENT, PYTHON_INDENT)}`] : []),
    ...(call.body === undefined ? [] : [`json=${literal(call.body, PYTHON, PYTHON_INDENT, PYTHON_INDENT)}`]),
    'timeout=30',
  ];
  return `import os
${call.idempotencyKey ? 'import uuid\n' : ''}
import requests

answer = requests.${call.method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join('')})
answer.raise_for_status()
print(answer.json())`;
}
