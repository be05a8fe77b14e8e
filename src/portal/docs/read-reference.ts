import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { curlOf } from './curl-of.ts';
import { type Field, fieldOf, fieldsOf } from './fields-of.ts';
import { jsonText } from './json-text.ts';
import { type JsonSchema, nameOf, type OpenApiDocument, type OpenApiOperation, resolve } from './open-api.ts';
import { OUTCOMES } from './outcomes.ts';
import { sampleOf } from './sample-of.ts';

export type Operation = {
  anchor: string;
  method: string;
  path: string;
  /** Other paths that do the same. */
  aliases: string[];
  summary: string;
  /** The scope with which applications may call, or null. */
  scope: string | null;
  patients: boolean;
  inputs: { title: string; fields: Field[] }[];
  status: number;
  /** Whether it answers 202 with the same while what was asked for goes on by itself. */
  goesOn: boolean;
  /** What is answered: a model's name and anchor. */
  model: { name: string; anchor: string; isList: boolean };
  headers: Field[];
  errors: { status: number; codes: ErrorCode[] }[];
  curl: string;
  answer: string;
};
export type Model = { name: string; anchor: string; fields: Field[] };
export type Group = { name: string; anchor: string; description: string; operations: Operation[]; models: Model[] };

/** How many fields the example of a PATCH changes. */
const PATCHED_FIELDS = 2;
/** An alias of another path; the door takes both. */
const ALIAS = /\.alias$/;
const slug = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/[^a-z]+/g, '-');
const modelAnchor = (name: string) => `model${slug(name)}`;

/** The OpenAPI document as the page shows it: operations and models by tag, with examples. */
export function readReference(document: OpenApiDocument): Group[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const named = new Set<string>();
  return document.tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags[0] === tag.name && !ALIAS.test(operation.operationId));
    const operations = own.map(({ path, method, operation }) => {
      const isAlias = (id: string) => ALIAS.test(id) && id.replace(ALIAS, '') === operation.operationId;
      const aliases = all.filter((other) => isAlias(other.operation.operationId)).map((other) => other.path);
      return readOperation(document, { path, method, operation, aliases });
    });
    const names = [...new Set(operations.map(({ model }) => model.name))].filter((name) => !named.has(name));
    for (const name of names) named.add(name);
    const models = names.map((name) => readModel(document, name));
    return { ...tag, anchor: slug(tag.name).replace(/^-/, ''), operations, models };
  });
}

function readModel({ components: { schemas } }: OpenApiDocument, name: string): Model {
  return { name, anchor: modelAnchor(name), fields: fieldsOf(resolve({ $ref: name }, schemas), schemas) };
}

type Found = { path: string; method: string; operation: OpenApiOperation; aliases: string[] };

function readOperation(document: OpenApiDocument, { path, method, operation, aliases }: Found): Operation {
  const body = operation.requestBody?.content['application/json'].schema;
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'))!;
  const answer = success.content!['application/json'].schema;
  const isList = answer.type === 'array';
  const name = nameOf((answer.items ?? answer).$ref ?? '');
  return {
    anchor: slug(operation.operationId),
    method,
    path,
    aliases,
    summary: operation.summary,
    scope: operation.security.flatMap((way) => way.oauth2 ?? [])[0] ?? null,
    patients: operation.security.some((way) => 'patient' in way),
    inputs: inputsOf(document, operation, body),
    status: Number(status),
    goesOn: '202' in operation.responses,
    model: { name, anchor: modelAnchor(name), isList },
    headers: Object.keys(success.headers ?? {}).map((header) => headerField(document, header)),
    errors: errorsOf(operation['x-error-codes'] as ErrorCode[]),
    curl: curlFor(document, { path, method, operation, aliases }, body),
    answer: jsonText(sampleAnswer(document, operation.operationId, answer, isList)),
  };
}

function inputsOf(document: OpenApiDocument, { parameters }: OpenApiOperation, body: JsonSchema | undefined) {
  const { schemas } = document.components;
  const placed = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, description, schema }) =>
        fieldOf(name, description ? { ...schema, description } : schema, required, schemas),
      );
  const inputs = [
    { title: 'Path', fields: placed('path') },
    { title: 'Query', fields: placed('query') },
    { title: 'Headers', fields: placed('header') },
    { title: 'Body', fields: body ? fieldsOf(body, schemas) : [] },
  ];
  return inputs.filter(({ fields }) => fields.length > 0);
}

function headerField({ components }: OpenApiDocument, name: string): Field {
  const { description, schema } = components.headers[name]!;
  return fieldOf(name, { ...schema, description }, true, components.schemas);
}

function errorsOf(codes: ErrorCode[]): Operation['errors'] {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return statuses.map((status) => ({ status, codes: codes.filter((code) => ERRORS[code].status === status) }));
}

function curlFor(document: OpenApiDocument, { path, method, operation }: Found, body: JsonSchema | undefined): string {
  const { schemas } = document.components;
  const options = { optional: true };
  const sampled = operation.parameters.map((parameter) => ({
    ...parameter,
    sample: sampleOf(parameter.schema, schemas, options),
  }));
  const filled = sampled
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, sample }) => text.replace(`{${name}}`, encodeURIComponent(String(sample))), path);
  const sample = body ? Object.entries(sampleOf(body, schemas, options) as object) : [];
  // A PATCH sends only what changes.
  const content = method === 'PATCH' ? sample.slice(0, PATCHED_FIELDS) : sample;
  return curlOf({
    method,
    url: `${document.servers[0].url}${filled}`,
    query: sampled
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, sample }) => [name, sample]),
    idempotencyKey: sampled.some(({ name }) => name === 'Idempotency-Key'),
    body: content.length > 0 ? Object.fromEntries(content) : undefined,
  });
}

/** Lists leave out what is not always there: client secrets. */
function sampleAnswer({ components }: OpenApiDocument, id: string, answer: JsonSchema, isList: boolean): unknown {
  const sample = sampleOf(answer, components.schemas, { optional: !isList });
  return isList ? sample : { ...(sample as object), ...OUTCOMES[id] };
}
