import { ERRORS, type ErrorCode, type ErrorObject, type ErrorSource, MOST_ERRORS } from '#contract/errors.ts';
import { PLAIN_CODES, WORDS_FOR_PEOPLE } from '#contract/words-for-people.ts';

export type { ErrorCode };

export type Fault = {
  code: ErrorCode;
  detail: string;
  /** For people, where neither the detail nor the code's own sentence is for them: see `wordsForPeople`. */
  people?: string;
  source?: ErrorSource;
  meta?: Record<string, unknown>;
};

/** Whatever was sent, one answer says no more of what is wrong with it, in bytes of JSON, … */
const MOST_BYTES = 14_000;
/** … nor of any one fault, so that nobody is answered with what they sent many times over. */
const MOST_DETAIL_BYTES = 300;
const MOST_SOURCE_BYTES = 200;
/** Of a name that a stranger chose, within a sentence. */
export const MOST_NAME_BYTES = 100;

/** A provider that cannot be reached may be there again soon; an error that knows better says so itself. */
const PROVIDER_RETRY_SECONDS = 2;

/**
 * A refusal that the caller is meant to see. Everything else that is thrown is a surprise and becomes
 * `internal_error`, with its details only in the log.
 */
export class CarelaneError extends Error {
  readonly faults: Fault[];
  readonly headers: Record<string, string>;

  constructor(faults: Fault | Fault[], options: { headers?: Record<string, string>; cause?: unknown } = {}) {
    const list = (Array.isArray(faults) ? onePerField(faults) : [faults]).slice(0, MOST_ERRORS).map(bounded);
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

/** A field that breaks several rules is told the first: it has to be looked at again in any case. */
export function onePerField(faults: Fault[]): Fault[] {
  const told = new Set<string>();
  return faults.filter(({ source }) => {
    const field = source && JSON.stringify(source);
    if (!field || !told.has(field)) return field ? told.add(field) : true;
    return false;
  });
}

/** Errors with a `Retry-After` come from `tooMany`, `busy` and `keyInUse`: `refuse('rate_limited', …)` does not compile. */
export const refuse = <Code extends ErrorCode>(
  code: Code & ([Code] extends ['rate_limited' | 'service_busy' | 'idempotency_key_in_use'] ? never : unknown),
  detail: string,
  more: Omit<Fault, 'code' | 'detail'> = {},
): CarelaneError => new CarelaneError({ code, detail, ...more });

/** `service_busy`: too much of one kind is waiting already, whoever asks. Says in `Retry-After` when to come again. */
export const busy = (detail: string, seconds: number): CarelaneError =>
  new CarelaneError({ code: 'service_busy', detail }, { headers: { 'retry-after': String(seconds) } });

/** `rate_limited`, the only way to it: every 429 says in `Retry-After` how many seconds to wait. */
export const tooMany = (detail: string, seconds: number, headers: Record<string, string> = {}): CarelaneError =>
  new CarelaneError({ code: 'rate_limited', detail }, { headers: { 'retry-after': String(seconds), ...headers } });

/** What is not there and what is not yours get the same answer. */
export const notFound = (what: string, source?: ErrorSource): CarelaneError =>
  refuse('not_found', `No such ${what}.`, source ? { source } : {});

export const invalid = (field: string, detail: string): CarelaneError =>
  refuse('invalid_parameter', detail, { source: { pointer: `/${field}` } });

/** RFC 6901. */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** What somebody reads who sits before a page: words of this refusal's own, a detail that is fit for it, or the code's. */
export const wordsForPeople = ({ code, detail, people }: Fault): string =>
  people ?? (PLAIN_CODES.has(code) ? detail : WORDS_FOR_PEOPLE[code]);

/** The outcome is not known yet: the same request again finds it out, and does nothing twice. */
export const OUTCOME_UNKNOWN = { outcome: 'unknown' } as const;

type Presenting = {
  /** In bytes of JSON; what has to go beyond it is the extras, the last faults, and the words' ends. */
  most?: number;
  /** With words for people, for a page of ours. */
  forPeople?: boolean;
};

/** As they leave. */
export function presentAll(faults: Fault[], { most = MOST_BYTES, forPeople = false }: Presenting = {}): ErrorObject[] {
  const shown = faults
    .slice(0, MOST_ERRORS)
    .map(bounded)
    .map((fault) => present(fault, forPeople));
  for (let last = shown.length - 1; last >= 0 && bytesOf(shown) > most; last -= 1) delete shown[last]!.meta;
  while (shown.length > 1 && bytesOf(shown) > most) shown.pop();
  if (bytesOf(shown) > most) {
    delete shown[0]!.source;
    shown[0]!.detail = cut(shown[0]!.detail, MOST_DETAIL_BYTES / 3);
    if (shown[0]!.people) shown[0]!.people = cut(shown[0]!.people, MOST_DETAIL_BYTES / 3);
  }
  return shown;
}

const present = (fault: Fault, forPeople: boolean): ErrorObject => ({
  status: String(ERRORS[fault.code].status),
  code: fault.code,
  title: ERRORS[fault.code].title,
  detail: fault.detail,
  ...(forPeople && { people: cut(wordsForPeople(fault), MOST_DETAIL_BYTES) }),
  ...(fault.source && { source: fault.source }),
  ...(fault.meta && { meta: fault.meta }),
});

const QUOTES = 2;
/** Escaped control characters are six times as long as they were. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const bounded = (fault: Fault): Fault => ({
  ...fault,
  detail: cut(fault.detail, MOST_DETAIL_BYTES),
  ...(fault.source && { source: boundedSource(fault.source) }),
});

/** A pointer that is too long gives way to what it stands in: half a pointer would point to something else. */
function boundedSource(source: ErrorSource): ErrorSource {
  if ('parameter' in source) return { parameter: cut(source.parameter, MOST_SOURCE_BYTES) };
  let pointer = '';
  for (const key of source.pointer
    .slice(0, MOST_SOURCE_BYTES + 1)
    .split('/')
    .slice(1)) {
    const longer = `${pointer}/${key}`;
    if (bytesOf(longer) > MOST_SOURCE_BYTES) return { pointer };
    pointer = longer;
  }
  return { pointer };
}

/** The text, or its beginning and an ellipsis, in at most so many bytes of JSON. */
export function cut(text: string, most: number): string {
  if (text.length <= most && bytesOf(text) - QUOTES <= most) return text;
  let kept = '';
  let size = bytesOf('…') - QUOTES;
  for (const character of text.slice(0, most)) {
    size += bytesOf(character) - QUOTES;
    if (size > most) break;
    kept += character;
  }
  return `${kept}…`;
}
