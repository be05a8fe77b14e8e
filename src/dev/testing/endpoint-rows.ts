import { z } from 'zod';
import { ListCodesInput } from '#contract/inbox.ts';
import { RequestStaffResetInput } from '#contract/team.ts';
import { ReportCallInput, SendSignalInput } from '#contract/visit-call.ts';
import { AUTH_ROUTES } from '#server/http/auth-handler.ts';
import { LINKS } from '#server/http/link-handler.ts';
import { IDENTITY_ENDPOINTS } from '#server/identity/patients/endpoints.ts';
import { appRouter } from '#server/router.ts';

/** One endpoint outside the REST API: its method, input and authentication. */
export type EndpointRow = {
  name: string;
  method: string;
  path: string;
  /** The schema of the body, or of tRPC's `input` for a query. */
  schema: unknown;
  kind: 'json' | 'form' | 'trpc' | 'trpc batch' | 'stripe' | 'acuity' | 'bare';
  proof: 'none' | 'bearer' | 'client' | 'staff' | 'csrf';
};

type Procedure = { _def: { type: 'query' | 'mutation'; inputs: z.ZodType[] } };
export const PROCEDURES = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

const jsonSchema = (schema: z.ZodType | null | undefined): unknown =>
  schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : null;
const procedureInput = (name: string) => PROCEDURES.find(([one]) => one === name)?.[1]._def.inputs[0];

const row = (path: string, method: string, rest: Omit<EndpointRow, 'name' | 'path' | 'method'>): EndpointRow => ({
  name: `${method} ${path}`,
  path,
  method,
  ...rest,
});

/** The schema of a form body with required and optional fields. */
const form = (required: string[], optional: string[] = []) => ({
  type: 'object',
  properties: Object.fromEntries([...required, ...optional].map((name) => [name, { type: 'string' }])),
  required,
});

/** These end the caller's own session or disable its account. */
const ENDS_ITSELF = /^(account|team)\./;

/** Every endpoint outside the REST API, which has its own table and tests. */
export const ENDPOINT_ROWS: EndpointRow[] = [
  ...IDENTITY_ENDPOINTS.map(({ method, path, input }) =>
    row(`/identity${path}`, method, { schema: jsonSchema(input), kind: input ? 'json' : 'bare', proof: 'bearer' }),
  ),
  row('/identity/oauth2/token', 'POST', {
    kind: 'form',
    proof: 'client',
    schema: form(['grant_type'], ['refresh_token', 'client_id', 'scope', 'subject_token', 'subject_token_type']),
  }),
  row('/identity/oauth2/revoke', 'POST', {
    kind: 'form',
    proof: 'client',
    schema: form(['token'], ['token_type_hint', 'client_id']),
  }),
  row('/identity/jwks.json', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/.well-known/oauth-authorization-server/identity', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  ...LINKS.map((name) =>
    row(`/api/links/${name}`, 'POST', {
      schema: jsonSchema(procedureInput(name) ?? RequestStaffResetInput),
      kind: 'json',
      proof: 'none',
    }),
  ),
  row('/api/webhooks/stripe', 'POST', { schema: null, kind: 'stripe', proof: 'none' }),
  row('/api/webhooks/acuity/{tenant}', 'POST', { schema: null, kind: 'acuity', proof: 'none' }),
  ...Object.entries(AUTH_ROUTES).map(([name, method]) =>
    row(`/api/auth/${name}`, method, {
      schema: form(['email', 'password', 'csrfToken'], ['code', 'callbackUrl', 'json']),
      kind: method === 'POST' ? 'form' : 'bare',
      proof: 'csrf',
    }),
  ),
  row('/api/auth/_log', 'POST', { schema: form(['code', 'level'], ['message']), kind: 'form', proof: 'csrf' }),
  row('/api/logos/{tenant}/00000000000000000000000000000000.png', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/packages/carelane-client.tgz', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/calendars/none.none.ics', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/unsubscribe/none.none', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/calls/stream', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/calls/here', 'POST', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/calls/signal', 'POST', { schema: jsonSchema(SendSignalInput), kind: 'json', proof: 'none' }),
  row('/api/calls/report', 'POST', { schema: jsonSchema(ReportCallInput), kind: 'json', proof: 'none' }),
  row('/api/calls/leave', 'POST', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/live', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/sandbox/stripe.js', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/sandbox/codes', 'POST', { schema: jsonSchema(ListCodesInput), kind: 'json', proof: 'none' }),
  row('/api/health', 'GET', { schema: null, kind: 'bare', proof: 'none' }),
  row('/api/audit/export', 'GET', { schema: null, kind: 'bare', proof: 'staff' }),
  row('/api/appointments/export', 'GET', { schema: null, kind: 'bare', proof: 'staff' }),
  row('/api/subscriptions/export', 'GET', { schema: null, kind: 'bare', proof: 'staff' }),
  row('/api/charts/export', 'GET', { schema: null, kind: 'bare', proof: 'staff' }),
  row('/api/trpc/{batch}', 'POST', { schema: null, kind: 'trpc batch', proof: 'staff' }),
  ...PROCEDURES.toSorted(([a], [b]) => Number(ENDS_ITSELF.test(a)) - Number(ENDS_ITSELF.test(b))).map(
    ([name, { _def }]) =>
      row(`/api/trpc/${name}`, _def.type === 'query' ? 'GET' : 'POST', {
        schema: jsonSchema(_def.inputs[0]),
        kind: 'trpc',
        proof: 'staff',
      }),
  ),
];
