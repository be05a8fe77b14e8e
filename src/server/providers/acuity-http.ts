import type { z } from 'zod';
import type { Budget, BudgetExhausted } from './request-budget.ts';
import { type DeclineReason, type Priority, SchedulingError } from './scheduling-provider.ts';

const PLAN =
  'The plan of your clinic’s Acuity account does not let this service in. An administrator can see what to do under Integrations.';

const REASONS: Record<string, DeclineReason> = {
  not_available: 'not_available',
  no_available_calendar: 'not_available',
  not_available_min_hours_in_advance: 'notice_too_short',
  not_available_max_days_in_advance: 'too_far_ahead',
  invalid_appointment_type: 'type_not_offered',
  invalid_calendar: 'type_not_offered',
  invalid_fields: 'fields_required',
  required_field: 'fields_required',
  not_found: 'not_found',
  reschedule_too_close: 'too_late',
  reschedule_not_allowed: 'not_reschedulable',
  reschedule_series: 'not_reschedulable',
  reschedule_canceled: 'already_canceled',
};
/** Maps Acuity's error code to a reason. */
export const reasonOf = (code: string): DeclineReason => (Object.hasOwn(REASONS, code) && REASONS[code]) || 'other';

type AcuityRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, with its query. */
  path: string;
  body?: Record<string, unknown> | Record<string, unknown>[];
  /** Changes nothing at Acuity although the method is not GET. */
  reads?: true;
  /** A booking depends on it. */
  urgent?: true;
  /** Goes before other calls of this account. */
  first?: true;
  /** Called when the request is sent, which may be long after it was queued. */
  onSent?: (() => void) | undefined;
};
export type Send = <T>(request: AcuityRequest, schema: z.ZodType<T>) => Promise<T>;

const SAFE = 'Nothing was changed; it is safe to try again.';
const UNKNOWN_EFFECT = 'It may or may not have acted.';
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
/** Acuity has done nothing when it responds 429, so the request is sent again in its turn. */
const MAX_ATTEMPTS = 3;

const isReading = ({ method, reads }: AcuityRequest) => method === 'GET' || reads === true;

/**
 * Creates Acuity's transport: HTTP Basic, JSON, a timeout, and errors that state whether the request may have had an
 * effect.
 */
export function createSend(options: {
  apiUrl: string;
  userId: string;
  apiKey: string;
  timeoutMs: number;
  budget: Budget;
  /** The turn of reads. */
  turn: Priority;
  /** Called before a change is sent; may throw to prevent it. Not called before reads, which several requests share. */
  beforeChange?: () => Promise<void> | undefined;
}): Send {
  const authorization = `Basic ${Buffer.from(`${options.userId}:${options.apiKey}`).toString('base64')}`;

  async function exchange(request: AcuityRequest): Promise<{ status: number; text: string }> {
    const { method, path, body, onSent } = request;
    const reading = isReading(request);
    if (!reading) await options.beforeChange?.();
    try {
      onSent?.();
      const response = await fetch(options.apiUrl + path, {
        method,
        headers: { authorization, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (cause) {
      const { name, cause: inner } = cause as Error & { cause?: { code?: string } };
      const effect = reading || NEVER_SENT.has(inner?.code ?? '') ? 'none' : 'unknown';
      const safety = effect === 'none' ? SAFE : UNKNOWN_EFFECT;
      if (name === 'TimeoutError')
        throw new SchedulingError('provider_timeout', `Acuity did not answer in time. ${safety}`, { effect, cause });
      throw new SchedulingError('provider_unavailable', `Acuity could not be reached. ${safety}`, { effect, cause });
    }
  }

  async function once(request: AcuityRequest) {
    const isUrgent = request.urgent || !isReading(request);
    const turn = isUrgent && options.turn !== 'background' ? 'urgent' : options.turn;
    try {
      return await options.budget.run(() => exchange(request), {
        turn,
        party: options.userId,
        first: request.first === true,
      });
    } catch (cause) {
      if ((cause as BudgetExhausted).name !== 'BudgetExhausted') throw cause;
      throw new SchedulingError('provider_unavailable', `Acuity is busy with our earlier requests. ${SAFE}`, {
        effect: 'none',
        cause,
      });
    }
  }

  return async (request, schema) => {
    let response = await once(request);
    for (let attempt = 1; response.status === 429 && attempt < MAX_ATTEMPTS; attempt += 1) {
      options.budget.backOff();
      response = await once(request);
    }
    return read(request, response, schema);
  };
}

function read<T>(request: AcuityRequest, { status, text }: { status: number; text: string }, schema: z.ZodType<T>): T {
  const effect = isReading(request) ? 'none' : 'unknown';
  const safety = effect === 'none' ? SAFE : UNKNOWN_EFFECT;
  const json = parse(text);
  if (status >= 200 && status < 300) {
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw new SchedulingError('provider_error', `Acuity sent a response that makes no sense. ${safety}`, {
      effect,
      cause: parsed.error,
    });
  }
  if (status === 429)
    throw new SchedulingError('provider_unavailable', `Acuity is limiting our requests. ${SAFE}`, { effect: 'none' });
  if (status >= 500) {
    const code = status === 503 ? 'provider_unavailable' : status === 504 ? 'provider_timeout' : 'provider_error';
    throw new SchedulingError(code, `Acuity failed with status ${status}. ${safety}`, { effect });
  }
  const error = (json as { error?: unknown } | null)?.error;
  const name = typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : `status_${status}`;
  const declined = { reason: reasonOf(name), providerCode: name };
  if (status === 403)
    throw new SchedulingError(
      'integration_misconfigured',
      'The plan of this Acuity account does not include the API; an administrator must take one that does.',
      { effect: 'none', declined, people: PLAN },
    );
  if (status === 401)
    throw new SchedulingError(
      'integration_misconfigured',
      'Acuity refuses the stored credentials; an administrator must connect it again.',
      { effect: 'none', declined },
    );
  throw new SchedulingError('provider_error', `Acuity refused this (${name}). Nothing was changed.`, {
    effect: 'none',
    declined,
  });
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
