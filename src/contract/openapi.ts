import { z } from 'zod';
import { AvailabilityView } from './availability.ts';
import { CONTRACT_VERSION, Id } from './conventions.ts';
import { ERRORS, type ErrorCode, MAX_ERRORS } from './errors.ts';
import { errorCodesOf } from './procedure-errors.ts';
import { ROUTES, type Route } from './routes.ts';
import { SCOPES } from './scopes.ts';
import { SubscriptionStatus } from './subscriptions.ts';

/** Structured data of errors. An error may carry more, which clients must not rely on. */
const ErrorMeta = z
  .object({
    alternatives: z
      .array(
        AvailabilityView.pick({ from_date: true, to_date: true, time_zone: true, calendar_id: true, calendar: true }),
      )
      .optional()
      .meta({
        description: 'With `slot_taken`: up to three free slots near it, nearest first, no two at the same time.',
      }),
    appointment_id: Id.optional().meta({
      description: "With `conflict`: the patient's other appointment at that time.",
    }),
    subscription_id: z
      .string()
      .optional()
      .meta({ description: "With `conflict`: the patient's subscription that prevents it." }),
    status: SubscriptionStatus.optional().meta({ description: 'With `conflict`: the status of that subscription.' }),
    provider: z
      .string()
      .optional()
      .meta({ description: 'With `provider_error`, `provider_unavailable` and `provider_timeout`: the provider.' }),
    retry_safe: z
      .boolean()
      .optional()
      .meta({ description: 'With the same codes: whether the same request may be sent again.' }),
    oldest_sequence: z.int().optional().meta({
      description:
        'With `events_expired`: the oldest event that is still stored. To start with it, pass one less as `after_sequence`.',
    }),
    newest_sequence: z
      .int()
      .optional()
      .meta({ description: 'With a sequence that does not exist yet: the last event.' }),
  })
  .catchall(z.unknown());

type Json = Record<string, unknown>;

/** The JSON schema from zod; fields that a query string carries as text add theirs in `override`. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: (context) =>
      complete(context.jsonSchema as Json, z.globalRegistry.get(context.zodSchema as unknown as z.ZodType) ?? {}),
  }) as Json;
  return json;
}

function complete(json: Json, meta: Json): void {
  delete json.component;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  // zod omits the examples of an input that is transformed.
  if (meta.examples) json.examples = meta.examples;
  if (!meta.override) return;
  const { description, examples, deprecated } = json;
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(
    json,
    description && { description },
    examples && { examples },
    deprecated && { deprecated },
    meta.override,
  );
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
      maxItems: MAX_ERRORS,
      description: 'The first errors, one per field.',
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
            description:
              'JSON pointer into the body, or the name of the parameter; long names are cut, or replaced by the name of their parent',
          },
          meta: schemaOf(ErrorMeta, 'output'),
        },
        additionalProperties: false,
      },
    },
    request_id: { type: 'string', format: 'uuid' },
  },
  additionalProperties: false,
};

const header = (description: string, schema: Json): Json => ({ description, schema });
const text: Json = { type: 'string' };
const integer: Json = { type: 'integer' };
const HEADERS: Record<string, Json> = {
  'Request-Id': header('Identifies the request in our logs.', { type: 'string', format: 'uuid' }),
  RateLimit: header('Requests left in the current minute: `"default";r=1199;t=42`.', text),
  'RateLimit-Policy': header('Requests in a window of seconds: `"default";q=1200;w=60`.', text),
  'Idempotent-Replayed': header(
    '`true` when this is the result of an earlier request: one with the same key, or an equal one without a key a moment ago.',
    text,
  ),
  Age: header(
    'For data from a copy: the number of seconds since its oldest part was last known to match the provider.',
    integer,
  ),
  Location: header('The URL of the new resource.', { type: 'string', format: 'uri' }),
  Link: header('URLs of the next and the previous page, `rel="next"` and `rel="prev"`.', text),
  'Total-Count': header('With `page` or `with_total` only: the total number of items.', integer),
  'Total-Count-Capped': header('`true` with `with_total` when there are more than were counted.', text),
  'Total-Pages': header('With `page` only: the number of pages.', integer),
  'Current-Page': header('With `page` only: the number of this page.', integer),
  'Oldest-Sequence': header('The oldest event that is still stored, or the next one when none is.', integer),
  'Newest-Sequence': header('The last event; 0 before the first.', integer),
  'Read-Through-Sequence': header(
    'How far the feed was searched, regardless of filters. Pass it as `after_sequence` once these events are processed.',
    integer,
  ),
  'Availability-Complete': header('Whether the list is complete: `true`, or `false`.', text),
  'Availability-Missing': header(
    'With `partial` only: the local days of calendars that are not known yet, each `calendar/day` or `calendar/first..last`, separated by commas. Ends in `...` when there are too many to list.',
    text,
  ),
  'Page-Items': header('With `page` only: the number of items on this page.', integer),
  'WWW-Authenticate': header('The challenge of RFC 6750.', text),
  'Retry-After': header('Seconds to wait; on a 409 only with `idempotency_key_in_use`.', integer),
};
const ALWAYS = ['Request-Id'];
const COUNTED = [...ALWAYS, 'RateLimit', 'RateLimit-Policy'];
const NUMBERED = ['Total-Count', 'Total-Pages', 'Current-Page', 'Page-Items'];
const TOTALS = [...NUMBERED, 'Total-Count-Capped'];
const READ_SO_FAR = ['Oldest-Sequence', 'Newest-Sequence', 'Read-Through-Sequence'];
const headersOf = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function successOf(route: Route): Json {
  const names = [...COUNTED];
  if (route.list) names.push('Link', ...(route.list === 'page' ? TOTALS : NUMBERED));
  if (route.list === 'feed') names.push(...READ_SO_FAR);
  if (route.list === 'times') names.push('Availability-Complete', 'Availability-Missing');
  if (route.status === 201) names.push('Location');
  if (route.mayBeStale) names.push('Age');
  if (route.method === 'POST') names.push('Idempotent-Replayed');
  return {
    description: route.status === 201 ? 'Created' : 'OK',
    headers: headersOf(names),
    content: { 'application/json': { schema: refTo(route.output) } },
  };
}

const listOfCodes = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ');
const codesOf = (status: number, codes: readonly ErrorCode[]) => codes.filter((code) => ERRORS[code].status === status);
const statusesOf = (codes: readonly ErrorCode[]) => [...new Set(codes.map((code) => ERRORS[code].status))].sort();

function errorsOf(route: Route): Json {
  const codes = errorCodesOf(route);
  return Object.fromEntries(
    statusesOf(codes).map((status) => [
      String(status),
      { $ref: `#/components/responses/E${status}`, description: listOfCodes(codesOf(status, codes)) },
    ]),
  );
}

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: listOfCodes(codesOf(status, codes)),
  headers: headersOf([
    ...ALWAYS,
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
    ...(status === 410 ? ['Oldest-Sequence'] : []),
  ]),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
});

/** The description belongs to the parameter, not to its schema; a repeated parameter is named with brackets. */
function parameter(name: string, place: 'path' | 'query' | 'header', required: boolean, field: Json): Json {
  const { description, deprecated, ...schema } = field;
  const repeated = schema.type === 'array';
  return {
    name: repeated ? `${name}[]` : name,
    in: place,
    required,
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    schema,
    ...(repeated && { style: 'form', explode: true }),
  };
}

const IDEMPOTENCY_KEY: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Makes a retry safe: the first response is stored for 24 hours and returned again.',
};

function parametersOf(route: Route, properties: Json, required: string[], inPath: string[]): Json[] {
  const named = (name: string) => properties[name] as Json;
  const path = inPath.map((name) => parameter(name, 'path', true, named(name)));
  if (route.method === 'POST') return [...path, parameter('Idempotency-Key', 'header', false, IDEMPOTENCY_KEY)];
  if (route.method === 'PATCH') return path;
  const query = Object.keys(properties).filter((name) => !inPath.includes(name));
  return [...path, ...query.map((name) => parameter(name, 'query', required.includes(name), named(name)))];
}

function callersOf({ scope, patient, patientOnly }: Route): string {
  if (patientOnly) return 'Open to patients only.';
  return `Open to applications with the scope \`${scope}\`${patient ? ' and to patients for their own records' : ''}.`;
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
    description: callersOf(route),
    tags: [route.tag],
    security: [...(route.patientOnly ? [] : [{ oauth2: [route.scope] }]), ...(route.patient ? [{ patient: [] }] : [])],
    parameters: parametersOf(route, properties, required, inPath),
    ...(takesBody && {
      requestBody: { required: bodyRequired.length > 0, content: { 'application/json': { schema: body } } },
    }),
    responses: {
      [String(route.status ?? 200)]: successOf(route),
      ...(route.isInProgress && {
        202: { ...successOf(route), description: 'Accepted: it continues in the background' },
      }),
      ...errorsOf(route),
    },
    'x-error-codes': errorCodesOf(route),
  };
}

/** Builds the OpenAPI 3.1 document from the table of routes that the server dispatches. */
export function openApiDocument(addresses: { baseUrl: string; tokenUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    path[route.method.toLowerCase()] = operationOf(route);
  }
  const used = [...new Set(ROUTES.flatMap((route) => errorCodesOf(route)))];
  const responses = Object.fromEntries(statusesOf(used).map((status) => [`E${status}`, errorResponse(status, used)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carelane',
      version: CONTRACT_VERSION,
      summary: 'Patients, their subscriptions and their appointments.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: addresses.baseUrl }],
    security: [{ oauth2: [] }, { patient: [] }],
    tags: [
      { name: 'Patients', description: 'The people in care.' },
      { name: 'Subscriptions', description: 'Plans, subscriptions and payments.' },
      { name: 'Cards', description: 'Payment methods of patients. Of a card number, only the last four digits.' },
      { name: 'Scheduling', description: 'Available slots and appointments.' },
      { name: 'Tasks', description: 'What the team has to do.' },
      { name: 'Events', description: 'What happened, in order, each event once.' },
      { name: 'Webhooks', description: 'Events, sent to your own endpoints with a signature.' },
      { name: 'Integrations', description: 'The providers of payments and scheduling, for administrators.' },
    ],
    paths,
    components: {
      schemas: { ...components, Errors: errorSchema },
      headers: HEADERS,
      responses,
      securitySchemes: {
        patient: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "A patient's access token, from signing in or from token exchange (RFC 8693).",
        },
        oauth2: {
          type: 'oauth2',
          description: "A server application's access token.",
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
