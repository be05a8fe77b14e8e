import { initTRPC, TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { ERRORS } from '#contract/errors.ts';
import type { Context } from './context.ts';
import { CarelaneError, present } from './errors.ts';
import { zodFaults } from './zod-faults.ts';

/** Both doors call procedures; the portal's wire carries the contract's error objects in `data.errors`. */
const t = initTRPC.context<Context>().create({
  errorFormatter({ shape, error, ctx }) {
    const cause = error.cause;
    const faults =
      cause instanceof CarelaneError ? cause.faults : cause instanceof ZodError ? zodFaults(cause, new Set()) : null;
    const errors = faults
      ? faults.map(present)
      : [present({ code: 'internal_error', detail: 'Something went wrong on our side.' })];
    const status = faults ? ERRORS[faults[0]!.code].status : shape.data.httpStatus;
    return {
      ...shape,
      message: errors[0]!.detail,
      data: { code: shape.data.code, httpStatus: status, errors, request_id: ctx?.requestId },
    };
  },
});

export const router = t.router;
export const procedure = t.procedure;
export const createCallerFactory = t.createCallerFactory;
export { TRPCError };
