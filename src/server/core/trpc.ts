import { initTRPC, type TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { ZodError, type ZodType } from 'zod';
import type { AuditAction } from '#contract/audit-actions.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { type Context, newTrail } from './context.ts';
import { apiError, CarelaneError, type Fault, presentErrors, truncate } from './errors.ts';
import { fieldErrors } from './field-errors.ts';
import { type AuditedCall, type ObjectType, type Outcome, type Reads, writeAuditEntry } from './write-audit-entry.ts';

/** Errors that tRPC raises before a procedure runs. */
const ERROR_MESSAGES: Partial<Record<TRPCError['code'], Fault>> = {
  PARSE_ERROR: { code: 'malformed_json', detail: 'The input is not valid JSON.' },
  BAD_REQUEST: { code: 'malformed_request', detail: 'The call is not one that the portal makes.' },
  NOT_FOUND: { code: 'route_not_found', detail: 'There is no such procedure.' },
  METHOD_NOT_SUPPORTED: { code: 'method_not_allowed', detail: 'Queries are sent by GET, changes by POST.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', detail: 'Send JSON: Content-Type: application/json.' },
  PAYLOAD_TOO_LARGE: { code: 'body_too_large', detail: 'The body is larger than 1 MiB.' },
};
const TWO_STEP_REQUIRED = 'Set up two-step sign-in on your account page first.';
const UNEXPECTED_ERROR: Fault = { code: 'internal_error', detail: 'Something went wrong on our side.' };

/** tRPC's name for each status of an error code. */
const NAMES: Record<(typeof ERRORS)[ErrorCode]['status'], TRPCError['code']> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  // tRPC has no name for 410; pages read the status of the error itself.
  410: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  428: 'PRECONDITION_REQUIRED',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};
export const trpcCodeOf = (code: ErrorCode): TRPCError['code'] => NAMES[ERRORS[code].status];

/** `callsInResponse`: the number of calls in a batch, which share the size limit of the errors in its response. */
type ProcedureContext = Context & { callsInResponse?: number };
const MAX_RESPONSE_BYTES = 8000;
const MAX_MESSAGE_BYTES = 100;

/** `whileEnrolling`: also open to an administrator who has not set up two-step sign-in yet. */
type Meta = { whileEnrolling?: true; reads?: Reads };

/**
 * REST and the portal call the same procedures; on the portal's wire, `data.errors` holds the contract's error objects.
 */
const t = initTRPC
  .context<ProcedureContext>()
  .meta<Meta>()
  .create({
    errorFormatter({ shape, error, ctx }) {
      const cause = error.cause;
      const faults =
        cause instanceof CarelaneError
          ? cause.faults
          : cause instanceof ZodError
            ? fieldErrors(cause, new Set())
            : null;
      const maxBytes = MAX_RESPONSE_BYTES / (ctx?.callsInResponse ?? 1);
      const errors = presentErrors(faults ?? [ERROR_MESSAGES[error.code] ?? UNEXPECTED_ERROR], {
        maxBytes,
        forPeople: true,
      });
      const name = trpcCodeOf(errors[0]!.code);
      const httpStatus = ERRORS[errors[0]!.code].status;
      return {
        ...shape,
        message: truncate(errors[0]!.detail, MAX_MESSAGE_BYTES),
        // tRPC treats every `CarelaneError` as an internal error.
        code: TRPC_ERROR_CODES_BY_KEY[name],
        data: { code: name, httpStatus, errors, request_id: ctx?.requestId },
      };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;
const procedure = t.procedure.use(async ({ ctx, meta, path, type, getRawInput, next }) => {
  // Calls of one batch share a context; each writes its own audit entry.
  const callContext = { ...ctx, trail: newTrail() };
  const call = { meta, path, type, input: await getRawInput() };
  return withAuditEntry(callContext, call, () => next({ ctx: callContext }));
});

type Call = { meta: Meta | undefined; path: string; type: AuditedCall['type']; input: unknown };

/** Runs a call and writes its audit entry before its result is shown. */
async function withAuditEntry<Result extends Outcome>(
  ctx: Context,
  { meta, path, type, input }: Call,
  run: () => Promise<Result>,
): Promise<Result> {
  const reads = meta?.reads;
  if (!reads) throw new Error(`${path} does not say whose data it reads`);
  const call = { reads, path, type, input };
  // Users who must set up two-step sign-in are rejected before a read of their data, unless the procedure allows it.
  if (ctx.actor.kind === 'enrolling' && !meta.whileEnrolling) {
    const error = apiError('forbidden', TWO_STEP_REQUIRED, { people: TWO_STEP_REQUIRED });
    await writeAuditEntry(ctx, call, { ok: false, error: { cause: error } });
    throw error;
  }
  const result = await run();
  await writeAuditEntry(ctx, call, result);
  return result;
}

/** What tRPC holds of a procedure, beside its middlewares; `router.test.ts` fails when a version of tRPC changes it. */
type Definition = {
  type: AuditedCall['type'];
  meta?: Meta;
  inputs: [] | [ZodType];
  resolver: (call: { ctx: Context; input: unknown }) => Promise<unknown>;
};
export type Procedure = { _def: Definition };

/**
 * Does what tRPC's own caller does for a procedure of this project (audit entry, input, resolver), but without copying
 * the context and the options for each middleware, which costs more than reading one record. `ctx` serves this call only.
 */
export async function callProcedure(
  { _def: { type, meta, inputs, resolver } }: Procedure,
  path: string,
  ctx: Context,
  input: unknown,
): Promise<unknown> {
  const result = await withAuditEntry(ctx, { meta, path, type, input }, async () => {
    try {
      return { ok: true as const, data: await resolver({ ctx, input: inputs[0]?.parse(input) }) };
    } catch (cause) {
      return { ok: false as const, error: { cause } };
    }
  });
  if (result.ok) return result.data;
  throw result.error.cause;
}

/** A procedure for patients' data: every call writes an audit entry or fails. */
export const patientData = (object: ObjectType, { action }: { action?: AuditAction } = {}) =>
  procedure.meta({ reads: { of: 'patient', object, ...(action && { action }) } });
/** A procedure without patient data: the clinic's settings, the team, public offers. */
export const noPatient = procedure.meta({ reads: { of: 'none' } });
/** For a procedure that patients may call, whose name is not that of an action. */
export const noPatientAs = (action: AuditAction) => procedure.meta({ reads: { of: 'none', action } });
export const createCallerFactory = t.createCallerFactory;
