import type { Fault } from './api-types.ts';
import { CarelaneApiError, type CarelaneErrorCode } from './carelane-api-error.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isFault = (value: unknown): value is Fault =>
  isObject(value) && typeof value.code === 'string' && typeof value.detail === 'string';

/** Returns the error for a response other than 2xx: in the API's own format, or in that of RFC 6749 §5.2. */
export function errorOfAnswer(status: number, headers: Headers, body: unknown): CarelaneApiError {
  const { errors, request_id, error, error_description } = isObject(body) ? body : {};
  const faults = Array.isArray(errors) ? errors.filter(isFault) : [];
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const details = {
    status,
    errors: faults,
    requestId: typeof request_id === 'string' ? request_id : (headers.get('request-id') ?? undefined),
    retryAfter: seconds >= 0 ? seconds : undefined,
  };
  const [first] = faults;
  if (first) return new CarelaneApiError(first.code, first.detail, details);
  if (typeof error === 'string')
    return new CarelaneApiError(
      error as CarelaneErrorCode,
      typeof error_description === 'string' ? error_description : error,
      details,
    );
  return new CarelaneApiError(
    'unexpected_answer',
    `The answer (${status}) is not one of this API's. Is the address right?`,
    details,
  );
}
