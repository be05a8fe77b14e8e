import { initTRPC, type TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { ZodError } from 'zod';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { type Context, newTrail } from './context.ts';
import { CarelaneError, cut, type Fault, presentAll, refuse } from './errors.ts';
import { leaveEntry, type ObjectType, type Reads } from './leave-entry.ts';
import { zodFaults } from './zod-faults.ts';

/** What tRPC itself refuses before a procedure runs. */
const WORDS: Partial<Record<TRPCError['code'], Fault>> = {
  PARSE_ERROR: { code: 'malformed_json', detail: 'The input is not valid JSON.' },
  BAD_REQUEST: { code: 'malformed_request', detail: 'The call is not one that the portal makes.' },
  NOT_FOUND: { code: 'route_not_found', detail: 'There is no such procedure.' },
  METHOD_NOT_SUPPORTED: { code: 'method_not_allowed', detail: 'Queries are sent by GET, changes by POST.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', detail: 'Send JSON: Content-Type: application/json.' },
  PAYLOAD_TOO_LARGE: { code: 'body_too_large', detail: 'The body is larger than 1 MiB.' },
};
const SET_UP_FIRST = 'Set up two-step sign-in on your account page first.';
const SURPRISE: Fault = { code: 'internal_error', detail: 'Something went wrong on our side.' };

/** What tRPC calls each status that a code of ours has. */
const NAMES: Record<(typeof ERRORS)[ErrorCode]['status'], TRPCError['code']> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  // tRPC has no name for it; the status that pages read is the error's own.
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

/** `callsInAnswer`: how many calls of one batch share an answer, and what it may say of what was wrong with them. */
type Asked = Context & { callsInAnswer?: number };
const MOST_BYTES_AN_ANSWER = 8000;
const MOST_MESSAGE_BYTES = 100;

/** `whileEnrolling`: open also to an administrator who has yet to set up two-step sign-in. */
type Meta = { whileEnrolling?: true; reads?: Reads };

/** Both doors call procedures; the portal's wire carries the contract's error objects in `data.errors`. */
const t = initTRPC
  .context<Asked>()
  .meta<Meta>()
  .create({
    errorFormatter({ shape, error, ctx }) {
      const cause = error.cause;
      const faults =
        cause instanceof CarelaneError ? cause.faults : cause instanceof ZodError ? zodFaults(cause, new Set()) : null;
      const most = MOST_BYTES_AN_ANSWER / (ctx?.callsInAnswer ?? 1);
      const errors = presentAll(faults ?? [WORDS[error.code] ?? SURPRISE], { most, forPeople: true });
      const name = trpcCodeOf(errors[0]!.code);
      const httpStatus = ERRORS[errors[0]!.code].status;
      return {
        ...shape,
        message: cut(errors[0]!.detail, MOST_MESSAGE_BYTES),
        // A refusal of ours reaches tRPC as a surprise, whatever it is.
        code: TRPC_ERROR_CODES_BY_KEY[name],
        data: { code: name, httpStatus, errors, request_id: ctx?.requestId },
      };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;
const procedure = t.procedure.use(async ({ ctx, meta, path, type, getRawInput, next }) => {
  const reads = meta?.reads;
  if (!reads) throw new Error(`${path} does not say whose data it reads`);
  // Whoever has to set up two-step sign-in is refused before anything of theirs is read, unless the procedure says otherwise.
  const isShut = ctx.actor.kind === 'enrolling' && !meta.whileEnrolling;
  // Calls of one batch share a context, and each leaves its own entry.
  const own = { ...ctx, trail: newTrail() };
  const call = { reads, path, type, input: await getRawInput() };
  if (isShut) {
    const refusal = refuse('forbidden', SET_UP_FIRST, { people: SET_UP_FIRST });
    await leaveEntry(own, call, { ok: false, error: { cause: refusal } });
    throw refusal;
  }
  const result = await next({ ctx: own });
  await leaveEntry(own, call, result);
  return result;
});

/** Reads or changes what is kept of patients: every call leaves an audit entry, or is refused. */
export const patientData = (object: ObjectType, { action }: { action?: string } = {}) =>
  procedure.meta({ reads: { of: 'patient', object, ...(action && { action }) } });
/** What is nobody's record: the clinic's own affairs, the team, what is offered to everybody. */
export const noPatient = procedure.meta({ reads: { of: 'none' } });
export const createCallerFactory = t.createCallerFactory;
