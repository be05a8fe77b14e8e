import { z } from 'zod';
import { ERRORS } from './errors.ts';
import { ROUTES, type Route } from './routes.ts';
import { SCOPES } from './scopes.ts';

type Json = Record<string, unknown>;

/** zod says what it can; fields that a query string carries as text say the rest in `override`. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const override = z.globalRegistry.get(zodSchema as unknown as z.ZodType)?.override as Json | undefined;
      delete (jsonSchema as Json).component;
      if (!override) return;
      for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
      Object.assign(jsonSchema, override);
    },
  }) as Json;
  return json;
}

const components: Json = {};
function refTo(schema: z.ZodType): Json {
  if (schema instanceof z.ZodArray) return { type: 'array', items: refTo(schema.element as z.ZodType) };
  const id = z.globalRegistry.get(schema)?.component as string | undefined;
  if (!id) return schemaOf(schema, 'output');
  components[id] ??= schemaOf(schema, 'output');
  return { $ref: `#/components/schemas/${id}` };
}

const errorSchema: Json = {
  type: 'object',
  required: ['errors', 'request_id'],
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['status', 'code', 'title', 'detail'],
        properties: {
          status: { type: 'string', description: 'The HTTP status' },
          code: { type: 'string', enum: Object.keys(ERRORS) },
          title: { type: 'string' },
          detail: { type: 'string', description: 'A sentence a person can act on' },
          source: {
            type: 'object',
            properties: { pointer: { type: 'string' }, parameter: { type: 'string' } },
            description: 'JSON pointer into the body, or the name of the parameter',
          },
          meta: { type: 'object', additionalProperties: true },
        },
        additionalProperties: false,
      },
    },
    request_id: { type: 'string', format: 'uuid' },
  },
  additionalProperties: false,
};

const header = (description: string, schema: Json): Json => ({ description, schema });
const REQUEST_ID = header('Names this call in our logs', { type: 'string', format: 'uuid' });
const PAGE_HEADERS: Json = {
  Link: header('rel="next" and rel="prev"', { type: 'string' }),
  'Total-Count': header('With `page` only', { type: 'integer' }),
  'Total-Pages': header('With `page` only', { type: 'integer' }),
  'Current-Page': header('With `page` only', { type: 'integer' }),
  'Page-Items': header('With `page` only', { type: 'integer' }),
};

function successOf(route: Route): Json {
  const headers: Json = { 'Request-Id': REQUEST_ID };
  if (route.list === 'page') Object.assign(headers, PAGE_HEADERS);
  if (route.status === 201) headers.Location = header('Where it is read', { type: 'string', format: 'uri' });
  return {
    description: route.status === 201 ? 'Created' : 'OK',
    headers,
    content: { 'application/json': { schema: refTo(route.output) } },
  };
}

const USED_STATUSES = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504];

function errorsOf(route: Route): Json {
  const statuses = new Set([400, 401, 403, 422, 429, 500]);
  if (route.method !== 'GET') for (const status of [413, 415]) statuses.add(status);
  if (route.path.includes('{')) statuses.add(404);
  if (route.method === 'POST' || route.method === 'PATCH') for (const status of [404, 409]) statuses.add(status);
  if (route.tag !== 'Patients') for (const status of [404, 502, 503, 504]) statuses.add(status);
  return Object.fromEntries(
    [...statuses].sort().map((status) => [String(status), { $ref: `#/components/responses/E${status}` }]),
  );
}

function parametersOf(route: Route, properties: Json, required: string[], inPath: string[]): Json[] {
  const path = inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] }));
  if (route.method !== 'GET' && route.method !== 'DELETE') {
    if (route.method !== 'POST') return path;
    const schema = { type: 'string', minLength: 1, maxLength: 255 };
    const description = 'The first answer is kept for 24 hours and given again for the same key and body.';
    return [...path, { name: 'Idempotency-Key', in: 'header', required: false, description, schema }];
  }
  const query = Object.keys(properties).filter((name) => !inPath.includes(name));
  return [
    ...path,
    ...query.map((name) => {
      const schema = properties[name] as Json;
      const repeated = schema.type === 'array';
      return {
        name: repeated ? `${name}[]` : name,
        in: 'query',
        required: required.includes(name),
        ...(typeof schema.description === 'string' && { description: schema.description }),
        schema,
        ...(repeated && { style: 'form', explode: true }),
      };
    }),
  ];
}

function operationOf(route: Route): Json {
  const input = schemaOf(route.input, 'input');
  const properties = (input.properties ?? {}) as Json;
  const required = (input.required ?? []) as string[];
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const bodyProperties = Object.fromEntries(Object.entries(properties).filter(([name]) => !inPath.includes(name)));
  const bodyRequired = required.filter((name) => !inPath.includes(name));
  const takesBody = route.method === 'POST' || route.method === 'PATCH';
  const body = {
    type: 'object',
    properties: bodyProperties,
    ...(bodyRequired.length > 0 && { required: bodyRequired }),
    additionalProperties: false,
  };
  return {
    operationId: `${route.procedure}${ROUTES.find((r) => r.procedure === route.procedure) === route ? '' : '.alias'}`,
    summary: route.summary,
    description: `Open to applications with the scope \`${route.scope}\`${route.patient ? ' and to patients for their own records' : ''}.`,
    tags: [route.tag],
    security: [{ oauth2: [route.scope] }],
    parameters: parametersOf(route, properties, required, inPath),
    ...(takesBody && {
      requestBody: { required: bodyRequired.length > 0, content: { 'application/json': { schema: body } } },
    }),
    responses: { [String(route.status ?? 200)]: successOf(route), ...errorsOf(route) },
  };
}

/** The OpenAPI 3.1 document, made from the table that dispatches. */
export function openApiDocument(addresses: { baseUrl: string; tokenUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    path[route.method.toLowerCase()] = operationOf(route);
  }
  const responses = Object.fromEntries(
    USED_STATUSES.map((status) => [
      `E${status}`,
      {
        description: Object.entries(ERRORS)
          .filter(([, error]) => error.status === status)
          .map(([code]) => `\`${code}\``)
          .join(', '),
        headers: { 'Request-Id': REQUEST_ID },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
      },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carelane',
      version: '1.0.0',
      summary: 'Patients, their subscriptions and their appointments.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: addresses.baseUrl }],
    security: [{ oauth2: [] }],
    tags: [
      { name: 'Patients', description: 'Who is cared for.' },
      { name: 'Subscriptions', description: 'Plans and what patients pay for.' },
      { name: 'Scheduling', description: 'Free times and appointments.' },
    ],
    paths,
    components: {
      schemas: { ...components, Errors: errorSchema },
      responses,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: addresses.tokenUrl,
              scopes: Object.fromEntries(SCOPES.map((scope) => [scope, scope.replace(':', ': ')])),
            },
          },
        },
      },
    },
  };
}
