import { ERRORS, type ErrorCode, type ErrorObject, type ErrorSource } from '#contract/errors.ts';

export type { ErrorCode };

export type Fault = { code: ErrorCode; detail: string; source?: ErrorSource; meta?: Record<string, unknown> };

/**
 * A refusal that the caller is meant to see. Everything else that is thrown is a surprise and becomes
 * `internal_error`, with its details only in the log.
 */
export class CarelaneError extends Error {
  readonly faults: Fault[];
  readonly headers: Record<string, string>;

  constructor(faults: Fault | Fault[], options: { headers?: Record<string, string>; cause?: unknown } = {}) {
    const list = Array.isArray(faults) ? onePerField(faults) : [faults];
    super(list.map((fault) => `${fault.code}: ${fault.detail}`).join('; '), { cause: options.cause });
    this.name = 'CarelaneError';
    this.faults = list;
    this.headers = options.headers ?? {};
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

export const refuse = (code: ErrorCode, detail: string, more: Omit<Fault, 'code' | 'detail'> = {}): CarelaneError =>
  new CarelaneError({ code, detail, ...more });

/** What is not there and what is not yours get the same answer. */
export const notFound = (what: string, source?: ErrorSource): CarelaneError =>
  refuse('not_found', `No such ${what}.`, source ? { source } : {});

export const invalid = (field: string, detail: string): CarelaneError =>
  refuse('invalid_parameter', detail, { source: { pointer: `/${field}` } });

export const present = ({ code, detail, source, meta }: Fault): ErrorObject => ({
  status: String(ERRORS[code].status),
  code,
  title: ERRORS[code].title,
  detail,
  ...(source && { source }),
  ...(meta && { meta }),
});
