import { ERROR_MESSAGES, PLAIN_CODES } from '#contract/error-messages.ts';
import { ERRORS, type ErrorCode, type ErrorObject, type ErrorSource, MAX_ERRORS } from '#contract/errors.ts';

export type { ErrorCode };

export type Fault = {
  code: ErrorCode;
  detail: string;
  /** For portal pages, where neither the detail nor the code's default sentence fits; see `messageForPeople`. */
  people?: string;
  source?: ErrorSource;
  meta?: Record<string, unknown>;
};

/** Maximum size of the errors of one response, in bytes of JSON, for any input. */
const MAX_BYTES = 14_000;
/** Maximum size of one fault's detail, so that a response never repeats its input many times over. */
const MAX_DETAIL_BYTES = 300;
const MAX_SOURCE_BYTES = 200;
/** Maximum size of a name that the client chose, within a sentence. */
export const MAX_NAME_BYTES = 100;

/** The default `Retry-After` of `provider_unavailable`; an error may set its own. */
const PROVIDER_RETRY_SECONDS = 2;

/** An error for the caller to see. Any other exception becomes `internal_error`, with its details only in the log. */
export class CarelaneError extends Error {
  readonly faults: Fault[];
  readonly headers: Record<string, string>;

  constructor(faults: Fault | Fault[], options: { headers?: Record<string, string>; cause?: unknown } = {}) {
    const list = (Array.isArray(faults) ? onePerField(faults) : [faults]).slice(0, MAX_ERRORS).map(bounded);
    super(list.map((fault) => `${fault.code}: ${fault.detail}`).join('; '), { cause: options.cause });
    this.name = 'CarelaneError';
    this.faults = list;
    this.headers = {
      ...(list[0]?.code === 'provider_unavailable' && { 'retry-after': String(PROVIDER_RETRY_SECONDS) }),
      ...options.headers,
    };
  }

  get code(): ErrorCode {
    return this.faults[0]!.code;
  }
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Returns the first fault of each field: the client has to check the field again in any case. */
export function onePerField(faults: Fault[]): Fault[] {
  const seen = new Set<string>();
  return faults.filter(({ source }) => {
    const field = source && JSON.stringify(source);
    if (!field || !seen.has(field)) return field ? seen.add(field) : true;
    return false;
  });
}

/**
 * Errors with a `Retry-After` come from `rateLimited`, `serviceBusy` and `keyInUse`: `apiError('rate_limited', …)` does not compile.
 */
export const apiError = <Code extends ErrorCode>(
  code: Code & ([Code] extends ['rate_limited' | 'service_busy' | 'idempotency_key_in_use'] ? never : unknown),
  detail: string,
  more: Omit<Fault, 'code' | 'detail'> = {},
): CarelaneError => new CarelaneError({ code, detail, ...more });

/**
 * Returns `service_busy`: too much work of one kind is waiting, from all callers. `Retry-After` holds the seconds to
 * wait.
 */
export const serviceBusy = (detail: string, seconds: number): CarelaneError =>
  new CarelaneError({ code: 'service_busy', detail }, { headers: { 'retry-after': String(seconds) } });

/** Returns `rate_limited`. The only source of this code, so that every 429 has a `Retry-After` in seconds. */
export const rateLimited = (detail: string, seconds: number, headers: Record<string, string> = {}): CarelaneError =>
  new CarelaneError({ code: 'rate_limited', detail }, { headers: { 'retry-after': String(seconds), ...headers } });

/** Formats `1 second`, `90 seconds`, `5 minutes`, `3 hours`; rounded up. */
export function formatWait(seconds: number): string {
  if (seconds <= 120) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return seconds <= 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

/** Returns `not_found`, also for records of other owners, so that the response does not reveal that they exist. */
export const notFound = (what: string, source?: ErrorSource): CarelaneError =>
  apiError('not_found', `No such ${what}.`, source ? { source } : {});

export const invalidParameter = (field: string, detail: string): CarelaneError =>
  apiError('invalid_parameter', detail, { source: { pointer: `/${field}` } });

/** Returns a JSON pointer. @see RFC 6901 */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Returns the text for a portal page: the fault's own, its detail if that is fit for people, or the code's default. */
export const messageForPeople = ({ code, detail, people }: Fault): string =>
  people ?? (PLAIN_CODES.has(code) ? detail : ERROR_MESSAGES[code]);

/** The outcome is not known yet: the same request again finds it out without a second effect. */
export const OUTCOME_UNKNOWN = { outcome: 'unknown' } as const;

type PresentOptions = {
  /** In bytes of JSON; beyond it, drops meta, then the last faults, then the ends of the texts. */
  maxBytes?: number;
  /** Adds texts for people, for the portal's pages. */
  forPeople?: boolean;
};

/** Returns the faults as error objects for the wire, bounded in number and size. */
export function presentErrors(
  faults: Fault[],
  { maxBytes = MAX_BYTES, forPeople = false }: PresentOptions = {},
): ErrorObject[] {
  const shown = faults
    .slice(0, MAX_ERRORS)
    .map(bounded)
    .map((fault) => present(fault, forPeople));
  for (const error of shown.toReversed()) {
    if (bytesOf(shown) <= maxBytes) break;
    delete error.meta;
  }
  while (shown.length > 1 && bytesOf(shown) > maxBytes) shown.pop();
  const [first] = shown;
  if (first && bytesOf(shown) > maxBytes) {
    delete first.source;
    first.detail = truncate(first.detail, MAX_DETAIL_BYTES / 3);
    if (first.people) first.people = truncate(first.people, MAX_DETAIL_BYTES / 3);
  }
  return shown;
}

const present = (fault: Fault, forPeople: boolean): ErrorObject => ({
  status: String(ERRORS[fault.code].status),
  code: fault.code,
  title: ERRORS[fault.code].title,
  detail: fault.detail,
  ...(forPeople && { people: truncate(messageForPeople(fault), MAX_DETAIL_BYTES) }),
  ...(fault.source && { source: fault.source }),
  ...(fault.meta && { meta: fault.meta }),
});

const QUOTES = 2;
/** An escaped control character is six times as long in JSON. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const bounded = (fault: Fault): Fault => ({
  ...fault,
  detail: truncate(fault.detail, MAX_DETAIL_BYTES),
  ...(fault.source && { source: boundedSource(fault.source) }),
});

/** Replaces a pointer that is too long by its parent's: a truncated pointer would name another field. */
function boundedSource(source: ErrorSource): ErrorSource {
  if ('parameter' in source) return { parameter: truncate(source.parameter, MAX_SOURCE_BYTES) };
  let pointer = '';
  for (const key of source.pointer
    .slice(0, MAX_SOURCE_BYTES + 1)
    .split('/')
    .slice(1)) {
    const longer = `${pointer}/${key}`;
    if (bytesOf(longer) > MAX_SOURCE_BYTES) return { pointer };
    pointer = longer;
  }
  return { pointer };
}

/** Returns the text, or its beginning and an ellipsis, in at most `most` bytes of JSON. */
export function truncate(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && bytesOf(text) - QUOTES <= maxBytes) return text;
  let beginning = '';
  let size = bytesOf('…') - QUOTES;
  for (const character of text.slice(0, maxBytes)) {
    size += bytesOf(character) - QUOTES;
    if (size > maxBytes) break;
    beginning += character;
  }
  return `${beginning}…`;
}
