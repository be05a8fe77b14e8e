import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { type Call, jsonText, samplesOf } from '../samples/code-samples.ts';
import type { Samples } from '../samples/languages.ts';
import { sampleOf } from '../samples/schema-sample.ts';
import {
  type JsonSchema,
  nameOf,
  type OpenApiDocument,
  type OpenApiOperation,
  resolve,
  type Schemas,
} from './open-api.ts';

const NOW = '2026-11-16T15:04:05.000Z';

/** Changes that an operation makes to its example response, by operation id. */
export const RESPONSE_OVERRIDES: Record<string, object> = {
  'invitations.create': { status: 'invited' },
  'invitations.invite': { status: 'invited' },
  'patients.archive': { status: 'archived', can_sign_in: false, archived_at: NOW, care_ending: null },
  'patients.unarchive': { can_sign_in: false },
  'subscriptions.cancel': {
    status: 'canceled',
    canceled_at: NOW,
    ended_at: NOW,
    latest_invoice: {
      id: 'in_ExampleFirst',
      status: 'paid',
      amount_due: 4900,
      currency: 'usd',
      payment_intent: { id: 'pi_ExampleFirst', status: 'succeeded' },
    },
    next_action: 'none',
  },
  'appointments.reschedule': { from_date: '2026-11-24T14:00:00-05:00', to_date: '2026-11-24T14:30:00-05:00' },
  'appointments.cancel': { status: 'canceled', canceled_at: NOW },
};

export type Operation = {
  anchor: string;
  method: string;
  path: string;
  /** Other paths of the same operation. */
  aliases: string[];
  summary: string;
  /** The required scope of applications; null when applications may not call it. */
  scope: string | null;
  patients: boolean;
  inputs: { title: string; fields: Field[] }[];
  status: number;
  /** True if the operation may respond with 202 and continue in the background. */
  isAsync: boolean;
  /** The model of the response, and where it is documented. */
  model: { name: string; anchor: string; href: string; isList: boolean };
  headers: Field[];
  errors: { status: number; codes: ErrorCode[] }[];
  samples: Samples;
  responseExample: string;
};
export type Model = { name: string; anchor: string; fields: Field[]; example: string };
export type Group = { name: string; anchor: string; description: string; operations: Operation[]; models: Model[] };

/** The callers of an operation that is closed to applications, so that the token at the page's top does not work. */
export const PATIENTS_ONLY = 'patients only, with the token of a patient, of their own or to act for them';

/** The number of fields that a PATCH example changes. */
const PATCHED_FIELDS = 2;
/** An alias of another path; the API serves both. */
const ALIAS = /\.alias$/;
const slug = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/[^a-z]+/g, '-');
const modelAnchor = (name: string) => `model${slug(name)}`;

/** Converts the OpenAPI document to groups of operations and models by tag, with examples. */
export function readReference(document: OpenApiDocument): Group[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  /** The page of each model: that of the first operation that returns it. */
  const modelPages = new Map<string, string>();
  return document.tags.map((tag) => {
    const tagged = all.filter(({ operation }) => operation.tags[0] === tag.name && !ALIAS.test(operation.operationId));
    const operations = tagged.map(({ path, method, operation }) => {
      const isAlias = (id: string) => ALIAS.test(id) && id.replace(ALIAS, '') === operation.operationId;
      const aliases = all.filter((other) => isAlias(other.operation.operationId)).map((other) => other.path);
      return readOperation(document, { path, method, operation, aliases });
    });
    const names = [...new Set(operations.map(({ model }) => model.name))].filter((name) => !modelPages.has(name));
    const anchor = slug(tag.name).replace(/^-/, '');
    for (const name of names) modelPages.set(name, `/docs/api/${anchor}`);
    const linkedOperations = operations.map((operation) => {
      const { name, anchor: ownAnchor } = operation.model;
      return { ...operation, model: { ...operation.model, href: `${modelPages.get(name)}#${ownAnchor}` } };
    });
    const models = names.map((name) => readModel(document, name));
    return { ...tag, anchor, operations: linkedOperations, models };
  });
}

function readModel({ components: { schemas } }: OpenApiDocument, name: string): Model {
  const schema = resolve({ $ref: name }, schemas);
  const example = jsonText(sampleOf(schema, schemas, { optional: true }));
  return { name, anchor: modelAnchor(name), fields: fieldsOf(schema, schemas), example };
}

type OperationSource = { path: string; method: string; operation: OpenApiOperation; aliases: string[] };

function readOperation(document: OpenApiDocument, source: OperationSource): Operation {
  const { path, method, operation, aliases } = source;
  const body = operation.requestBody?.content['application/json'].schema;
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const schema = success?.content?.['application/json'].schema;
  if (!schema) throw new Error(`${operation.operationId} has no response with content`);
  const isList = schema.type === 'array';
  const name = nameOf((schema.items ?? schema).$ref ?? '');
  return {
    anchor: slug(operation.operationId),
    method,
    path,
    aliases,
    summary: operation.summary,
    scope: operation.security.flatMap((requirement) => requirement.oauth2 ?? [])[0] ?? null,
    patients: operation.security.some((requirement) => 'patient' in requirement),
    inputs: inputsOf(document, operation, body),
    status: Number(status),
    isAsync: '202' in operation.responses,
    model: { name, anchor: modelAnchor(name), href: '', isList },
    headers: Object.keys(success.headers ?? {}).map((header) => headerField(document, header)),
    errors: errorsOf(operation['x-error-codes'] as ErrorCode[]),
    samples: samplesOf(
      callOf(document, source, {
        body,
        response: { name, isList, isPaged: isList && 'Link' in (success.headers ?? {}) },
      }),
    ),
    responseExample: jsonText(sampleResponse(document, operation.operationId, schema, isList)),
  };
}

function inputsOf(document: OpenApiDocument, { parameters }: OpenApiOperation, body: JsonSchema | undefined) {
  const { schemas } = document.components;
  const fieldsIn = (location: string) =>
    parameters
      .filter((parameter) => parameter.in === location)
      .map(({ name, required, description, schema }) =>
        fieldOf(name, description ? { ...schema, description } : schema, required, schemas),
      );
  const inputs = [
    { title: 'Path', fields: fieldsIn('path') },
    { title: 'Query', fields: fieldsIn('query') },
    { title: 'Headers', fields: fieldsIn('header') },
    { title: 'Body', fields: body ? fieldsOf(body, schemas) : [] },
  ];
  return inputs.filter(({ fields }) => fields.length > 0);
}

function headerField({ components }: OpenApiDocument, name: string): Field {
  const header = components.headers[name];
  if (!header) throw new Error(`The document has no header ${name}`);
  const { description, schema } = header;
  return fieldOf(name, { ...schema, description }, true, components.schemas);
}

function errorsOf(codes: ErrorCode[]): Operation['errors'] {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return statuses.map((status) => ({ status, codes: codes.filter((code) => ERRORS[code].status === status) }));
}

type Shape = { body: JsonSchema | undefined; response: Call['response'] };

function callOf(document: OpenApiDocument, source: OperationSource, { body, response }: Shape): Call {
  const { path: route, method, operation } = source;
  const { schemas } = document.components;
  const options = { optional: true };
  const sampled = operation.parameters.map((parameter) => ({
    ...parameter,
    sample: sampleOf(parameter.schema, schemas, options),
  }));
  const parametersIn = (location: string) => sampled.filter((parameter) => parameter.in === location);
  const sample = body ? Object.entries(sampleOf(body, schemas, options) as object) : [];
  const requiredNames: string[] = body?.required ?? [];
  // A PATCH example sends a few changed fields and the required ones.
  const content =
    method === 'PATCH' ? sample.filter(([name], n) => n < PATCHED_FIELDS || requiredNames.includes(name)) : sample;
  return {
    method,
    route,
    baseUrl: document.servers[0].url,
    path: Object.fromEntries(parametersIn('path').map(({ name, sample }) => [name, sample])),
    query: parametersIn('query')
      .filter(({ required, schema }) => required || schema['x-needed-by-applications'])
      .map(({ name, sample }) => [name, sample]),
    idempotencyKey: parametersIn('header').some(({ name }) => name === 'Idempotency-Key'),
    body: content.length > 0 ? Object.fromEntries(content) : undefined,
    response,
  };
}

/** Lists omit optional fields such as client secrets. */
function sampleResponse({ components }: OpenApiDocument, id: string, schema: JsonSchema, isList: boolean): unknown {
  const sample = sampleOf(schema, components.schemas, { optional: !isList });
  return isList ? sample : { ...(sample as object), ...RESPONSE_OVERRIDES[id] };
}

/** One row of a field list. */
export type Field = {
  name: string;
  /** `uuid`, `array of strings`, `integer or null`, … */
  type: string;
  required: boolean;
  description: string | null;
  /** `1 to 100 characters`, … */
  limits: string | null;
  /** The enum values. */
  values: string[];
  /** The fields of an object, or of the objects in an array. */
  fields: Field[];
};

/** Returns the fields of an object schema, in order. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name), schemas),
  );
}

export function fieldOf(name: string, schema: JsonSchema, required: boolean, schemas: Schemas): Field {
  const choices = choicesOf(schema);
  const nonNull = choices.filter((choice) => choice.type !== 'null');
  const [single = schema] = nonNull;
  const only = nonNull.length === 1 ? single : schema;
  const inner = only.items ?? only;
  const isNamed = inner.$ref !== undefined;
  return {
    name,
    type: choices.map((choice) => typeOf(choice)).join(' or '),
    required,
    description: schema.description ?? only.description ?? null,
    limits: limitsOf(only),
    values: (inner.enum ?? (inner.const === undefined ? [] : [inner.const])).map(String),
    fields: isNamed ? [] : fieldsOf(resolve(inner, schemas), schemas),
  };
}

const choicesOf = (schema: JsonSchema): JsonSchema[] =>
  schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema]);

const FORMATS: Record<string, string> = { uri: 'url' };

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.items) return schema.items.$ref ? `array of ${typeOf(schema.items)}` : `array of ${typeOf(schema.items)}s`;
  if (schema.format) return FORMATS[schema.format] ?? schema.format;
  return schema.type?.toString() ?? (schema.enum || schema.const !== undefined ? 'string' : 'any');
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonSchema): string | null {
  const limits = [
    range(minimum, maximum),
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'items'),
  ];
  return limits.filter(Boolean).join(', ') || null;
}

/** A maximum of 2³¹ − 1 marks an id, whose limits are irrelevant to the reader. */
const ANY_ID = 2 ** 31 - 1;

function range(from: number | undefined, to: number | undefined, unit = ''): string | null {
  if (to === ANY_ID) return null;
  const text = (value: number) => value.toLocaleString('en-US');
  if (from !== undefined && to !== undefined) return `${text(from)} to ${text(to)} ${unit}`.trim();
  if (to !== undefined) return `at most ${text(to)} ${unit}`.trim();
  return from === undefined ? null : `at least ${text(from)} ${unit}`.trim();
}
