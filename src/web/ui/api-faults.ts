/** One fault of the API's error envelope. */
export type ApiFault = {
  code: string;
  title: string;
  /** For programmers; never shown. */
  detail?: string;
  /** For whoever sits before the page. */
  people?: string;
  source?: { pointer?: string; parameter?: string };
  meta?: Record<string, unknown>;
};

type WithEnvelope = { data?: { errors?: unknown; request_id?: unknown } | null };

const UNREACHABLE: ApiFault = {
  code: 'unreachable',
  title: 'No connection',
  people: 'The server did not answer. Check your connection and try again.',
};
const NO_WORDS = 'Something did not work. Try again; if it stays, tell an administrator.';

/** The faults that a failed call carries; never empty, so that there is always a sentence to show. */
export function readApiFaults(error: unknown): [ApiFault, ...ApiFault[]] {
  const faults = (error as WithEnvelope | null)?.data?.errors;
  return Array.isArray(faults) && faults.length > 0 ? (faults as [ApiFault, ...ApiFault[]]) : [UNREACHABLE];
}

export function requestIdOf(error: unknown): string | undefined {
  const id = (error as WithEnvelope | null)?.data?.request_id;
  return typeof id === 'string' ? id : undefined;
}

/** A fault in words for people. */
export const wordsOfFault = ({ people }: ApiFault): string => people ?? NO_WORDS;

/** The sentence of the first fault, for places with room for one. */
export const faultSentence = (error: unknown): string => wordsOfFault(readApiFaults(error)[0]);

/** A refusal that a page makes up itself, in the shape of the server's. */
export const faultOf = (code: string, people: string): Error =>
  Object.assign(new Error(people), { data: { errors: [{ code, title: people, people }] } });

/** `/phones_attributes/0/number` (RFC 6901) as the form's `phones_attributes.0.number`. */
export function fieldOfFault(fault: ApiFault): string | undefined {
  const pointer = fault.source?.pointer;
  if (!pointer) return fault.source?.parameter;
  return pointer
    .replace(/^\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
