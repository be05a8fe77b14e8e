/** One error of the API's error envelope. */
type ApiErrorEntry = {
  code: string;
  title: string;
  /** For developers; never shown. */
  detail?: string;
  /** The message for the user of the page. */
  people?: string;
  source?: { pointer?: string; parameter?: string };
  meta?: Record<string, unknown>;
};

type WithEnvelope = { data?: { errors?: unknown; request_id?: unknown } | null };

const UNREACHABLE: ApiErrorEntry = {
  code: 'unreachable',
  title: 'No connection',
  people: 'The server did not answer. Check your connection and try again.',
};
const DEFAULT_MESSAGE = 'Something did not work. Try again; if it still fails, tell an administrator.';

/** Returns the errors of a failed call; never empty, so that there is always a message to show. */
export function readApiErrors(error: unknown): [ApiErrorEntry, ...ApiErrorEntry[]] {
  const errors = (error as WithEnvelope | null)?.data?.errors;
  return Array.isArray(errors) && errors.length > 0 ? (errors as [ApiErrorEntry, ...ApiErrorEntry[]]) : [UNREACHABLE];
}

export function requestIdOf(error: unknown): string | undefined {
  const id = (error as WithEnvelope | null)?.data?.request_id;
  return typeof id === 'string' ? id : undefined;
}

/** Read once the user has signed in again: until then the page is hidden. */
const SIGNED_OUT_MESSAGE = 'You were signed out, so this was not done. Try again.';

/** The message of an error for the user. */
export const messageOfError = ({ code, people = DEFAULT_MESSAGE }: ApiErrorEntry): string =>
  code === 'missing_token' ? SIGNED_OUT_MESSAGE : people;

/** The message of the first error, for places with room for one line. */
export const firstErrorMessage = (error: unknown): string => messageOfError(readApiErrors(error)[0]);

/** Creates a client-side error in the shape of the server's error envelope. */
export const createApiError = (code: string, people: string): Error =>
  Object.assign(new Error(people), { data: { errors: [{ code, title: people, people }] } });

/** Maps the JSON pointer `/phones_attributes/0/number` (RFC 6901) to the form field `phones_attributes.0.number`. */
export function fieldOfError(entry: ApiErrorEntry): string | undefined {
  const pointer = entry.source?.pointer;
  if (!pointer) return entry.source?.parameter;
  return pointer
    .replace(/^\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

/**
 * Returns the field that shows an error: the one it points at, or the nearest around it; undefined if the form has none.
 * @param field the path of the error, as of `fieldOfError`
 * @param form.names fields with another name than the server's
 */
export function shownFieldOf(
  field: string,
  { names = {}, isShown }: { names?: Record<string, string> | undefined; isShown: (field: string) => boolean },
): string | undefined {
  const parts = field.split('.');
  return parts
    .map((_, index) => parts.slice(0, parts.length - index).join('.'))
    .map((path) => names[path] ?? path)
    .find(isShown);
}
