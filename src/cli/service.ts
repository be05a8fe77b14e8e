import { setTimeout as pause } from 'node:timers/promises';
import { CliError, EXIT } from './cli-error.ts';
import { sanitize } from './screen.ts';
import { within } from './within.ts';

const MARGIN_MS = 60_000;
/** Timeout in addition to the requested wait. */
const TIMEOUT_MS = 15_000;
/** Pauses before retries when there is no Retry-After. */
const PAUSES_S = [1, 2, 5, 10];
const LAST_PAUSE_S = 30;
const MAX_PAUSE_S = 300;

type Credentials = { url: URL; clientId: string; clientSecret: string };
type ServiceResponse = { body: unknown; headers: Headers };
type ApiError = { code: string; detail: string; meta: Record<string, unknown> };

/**
 * The service's public API, for an application. Temporary errors (a lost connection, a restart, too many calls) are
 * reported to `onWait` and retried, unless the service was never reached; others end the command with a message.
 */
export function createService(
  { url, clientId, clientSecret }: Credentials,
  {
    signal,
    onWait,
    onBack,
  }: { signal: AbortSignal; onWait: (reason: string, seconds: number) => void; onBack: () => void },
) {
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  let token: { value: string; renewAt: number } | null = null;
  let wasReached = false;
  let failures = 0;

  /** Sends a request and repeats it until there is a final response. */
  async function sendUntilFinal(path: string, init: () => Promise<RequestInit>, waitS = 0): Promise<Response> {
    for (;;) {
      signal.throwIfAborted();
      let reason: string;
      let afterS: number | null = null;
      try {
        const request = await init();
        const limits = within(waitS * 1000 + TIMEOUT_MS, signal);
        const response = await fetch(`${base}${path}`, { ...request, signal: limits, redirect: 'error' });
        // Reads the body here, because the connection may be lost during the response.
        const buffered = new Response(await response.text(), response);
        wasReached = true;
        if (buffered.status !== 429 && buffered.status < 500) {
          if (failures > 0) onBack();
          failures = 0;
          return buffered;
        }
        const seconds = Number(response.headers.get('retry-after') || Number.NaN);
        afterS = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_PAUSE_S) : null;
        reason = STATUS_MESSAGES[buffered.status] ?? `The service failed (${buffered.status}).`;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CliError) throw error;
        reason = `No response from ${url.origin}: ${reasonOf(error)}.`;
        if (!wasReached) throw new CliError(`${reason} Is the service running, and is --url correct?`);
      }
      const seconds = afterS ?? PAUSES_S[failures] ?? LAST_PAUSE_S;
      failures += 1;
      onWait(reason, seconds);
      await pause(seconds * 1000, undefined, { signal });
    }
  }

  /** Returns a token, renewed before it expires. */
  async function getToken(): Promise<string> {
    if (token && Date.now() < token.renewAt) return token.value;
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
    const response = await sendUntilFinal('/identity/oauth2/token', async () => ({
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    }));
    const grant = (await jsonOf(response)) as { access_token?: string; expires_in?: number; error?: string } | null;
    if (grant?.error === 'invalid_client' || response.status === 401)
      throw new CliError('The client id or the secret is wrong.', EXIT.forbidden);
    if (!response.ok || typeof grant?.access_token !== 'string') throw notCarelaneError(response.status);
    const lifeMs = (grant.expires_in ?? 0) * 1000;
    token = { value: grant.access_token, renewAt: Date.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
    return token.value;
  }

  const notCarelaneError = (status: number) =>
    new CliError(`${url.origin} (status ${status}) is not a Carelane service. Is --url correct?`);

  return {
    async get(path: string, query: URLSearchParams, waitS: number): Promise<ServiceResponse> {
      const requestPath = `/api/v1${path}?${query}`;
      for (let isRetry = false; ; isRetry = true) {
        const response = await sendUntilFinal(
          requestPath,
          async () => ({ headers: { authorization: `Bearer ${await getToken()}` } }),
          waitS,
        );
        const body = await jsonOf(response);
        if (response.ok && body !== null) return { body, headers: response.headers };
        // The token may be revoked, or its signing keys replaced.
        if (response.status === 401 && !isRetry) token = null;
        else throw errorOf(response.status, firstErrorOf(body)) ?? notCarelaneError(response.status);
      }
    },
  };
}
export type Service = ReturnType<typeof createService>;

const STATUS_MESSAGES: Record<number, string> = {
  429: 'Too many requests.',
  502: 'The service is not available.',
  503: 'The service is busy or restarting.',
  504: 'The service is not available.',
};

function errorOf(status: number, error: ApiError | null): CliError | null {
  if (!error) return null;
  const detail = error.detail ? ` The service says: ${sanitize(error.detail)}` : '';
  if (error.code === 'events_expired') {
    const oldest = Number(error.meta.oldest_sequence);
    const from = Number.isSafeInteger(oldest)
      ? ` Start with --after ${oldest - 1}, before the oldest stored event.`
      : '';
    return new CliError(`The requested events are no longer stored. Read the resources again.${from}`, EXIT.expired);
  }
  if (status === 401) return new CliError(`The service rejects this application’s token.${detail}`, EXIT.forbidden);
  if (status === 403) return new CliError(`This application may not read these events.${detail}`, EXIT.forbidden);
  return new CliError(`The service rejects the request (${sanitize(error.code)}).${detail}`, EXIT.misused);
}

function firstErrorOf(body: unknown): ApiError | null {
  const first = (body as { errors?: Partial<ApiError>[] } | null)?.errors?.[0];
  if (typeof first?.code !== 'string') return null;
  return { code: first.code, detail: typeof first.detail === 'string' ? first.detail : '', meta: first.meta ?? {} };
}

const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => null);

/** Returns the reason from an error of `fetch`, which is in its cause or in the first of several causes. */
export function reasonOf(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: Error & { code?: string; errors?: Error[] } };
  if (name === 'TimeoutError') return 'timeout';
  const first = (cause?.errors?.[0] ?? cause) as (Error & { code?: string }) | undefined;
  const code = first?.code ?? '';
  return sanitize(REASONS[code] ?? (first?.message || code || message));
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be looked up',
};
