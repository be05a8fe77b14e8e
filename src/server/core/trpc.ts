import { initTRPC, type TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { ERRORS } from '#contract/errors.ts';
import type { Context } from './context.ts';
import { CarelaneError, cut, type Fault, presentAll, refuse } from './errors.ts';
import { recordImpersonated } from './record-impersonated.ts';
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
const SURPRISE: Fault = { code: 'internal_error', detail: 'Something went wrong on our side.' };

/** `callsInAnswer`: how many calls of one batch share an answer, and what it may say of what was wrong with them. */
type Asked = Context & { callsInAnswer?: number };
const MOST_BYTES_AN_ANSWER = 8000;
const MOST_MESSAGE_BYTES = 100;

/** `whileEnrolling`: open also to an administrator who has yet to set up two-step sign-in. */
type Meta = { whileEnrolling: true };

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
      const errors = presentAll(faults ?? [WORDS[error.code] ?? SURPRISE], most);
      const status = ERRORS[errors[0]!.code].status;
      return {
        ...shape,
        message: cut(errors[0]!.detail, MOST_MESSAGE_BYTES),
        data: { code: shape.data.code, httpStatus: status, errors, request_id: ctx?.requestId },
      };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;
/** Whoever has to set up two-step sign-in is refused before anything of theirs is read, unless the procedure says otherwise. */
export const procedure = t.procedure.use(({ ctx, meta, next }) => {
  if (ctx.actor.kind === 'enrolling' && !meta?.whileEnrolling)
    throw refuse('forbidden', 'Set up two-step sign-in on your account page first.');
  return next();
});
/** Reads what is the same for everybody, and so is in nobody's record. */
export const sharedRead = procedure.use(async ({ ctx, path, next }) => {
  const result = await next();
  if (result.ok) await recordImpersonated(ctx, path);
  return result;
});
export const createCallerFactory = t.createCallerFactory;
