import { createHmac, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, EXIT } from './cli-error.ts';
import { type FeedEvent, lineOf, newestSequence, objectOf, readEvents } from './feed.ts';
import { type Command, readOptions, USAGE } from './options.ts';
import { createScreen, type Env, type Output, type Screen, sanitize } from './screen.ts';
import { createService, reasonOf, type Service } from './service.ts';
import { within } from './within.ts';

type Terminal = {
  env: Env;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: Output;
  signal: AbortSignal;
};

/**
 * Reads the secret from a file, the environment or a prompt; never from the arguments: other users of the machine can
 * read the arguments of a process, and the shell stores them in its history.
 */
async function readClientSecret(file: string | undefined, terminal: Terminal): Promise<string> {
  const { env, stdin, stderr } = terminal;
  if (file) return readSecret(file);
  if (env.CARELANE_CLIENT_SECRET) return env.CARELANE_CLIENT_SECRET;
  if (stdin.isTTY && stderr.isTTY) return prompt(terminal);
  throw new CliError('The client secret is missing: set CARELANE_CLIENT_SECRET or --client-secret-file.', EXIT.misused);
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${file} cannot be read (${error.code}).`, EXIT.misused);
  });
  const secret = text.trim();
  if (!secret || /\s/.test(secret))
    throw new CliError(`${file} must contain the secret and nothing else.`, EXIT.misused);
  return secret;
}

/** Prompts without echo. */
async function prompt({ stdin, stderr, signal }: Terminal): Promise<string> {
  stderr.write('Client secret: ');
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: discarded, terminal: true });
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      const stop = () => reject(signal.reason ?? new DOMException('stopped', 'AbortError'));
      signal.addEventListener('abort', stop, { once: true });
      // In raw mode, Ctrl-C arrives here and not at the process.
      reader.once('SIGINT', stop);
      reader.once('close', stop);
      reader.once('line', resolve);
    });
    if (!typed.trim()) throw new CliError('A secret is required.', EXIT.misused);
    return typed.trim();
  } finally {
    reader.close();
    stderr.write('\n');
  }
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Returns the signing secret: from a file, which is created when it does not exist, or a new one for this run. */
async function readSigningSecret(file: string | undefined): Promise<{ secret: string; isNew: boolean }> {
  const created = `whsec_${randomBytes(32).toString('base64')}`;
  if (!file) return { secret: created, isNew: true };
  try {
    // 'wx': does not overwrite an existing file.
    await writeFile(file, `${created}\n`, { mode: 0o600, flag: 'wx' });
    return { secret: created, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new CliError(`${file} cannot be written (${code}).`, EXIT.misused);
  }
  const secret = await readSecret(file);
  if (!SECRET.test(secret)) throw new CliError(`${file} contains no webhook secret (whsec_…).`, EXIT.misused);
  return { secret, isNew: false };
}

declare const CARELANE_CLI_VERSION: string | undefined;

type Environment = {
  env: Env;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Pauses between the attempts to forward an event. */
  pausesMs?: number[];
};
type Running = { service: Service; screen: Screen } & Pick<Environment, 'signal' | 'pausesMs'>;

/**
 * Runs the command.
 * @returns its exit code
 */
export async function main(
  args: string[],
  { env, stdin, stdout, stderr, signal, pausesMs }: Environment,
): Promise<number> {
  const screen = createScreen({ stdout, stderr, env });
  try {
    const command = readOptions(args, env);
    if (command === 'help' || command === 'version') {
      await screen.line(command === 'help' ? USAGE : versionOf());
      return EXIT.done;
    }
    const { clientId, secretFile, url } = command;
    if (!clientId) throw new CliError('The client id is missing: set CARELANE_CLIENT_ID or --client-id.', EXIT.misused);
    const clientSecret = await readClientSecret(secretFile, { env, stdin, stderr, signal });
    const onWait = (reason: string, seconds: number) =>
      screen.message(`${screen.paint('yellow', reason)} Retrying in ${seconds} s.`);
    const onBack = () => screen.message('The service is available again.');
    const service = createService({ url, clientId, clientSecret }, { signal, onWait, onBack });
    const running = { service, screen, signal, ...(pausesMs && { pausesMs }) };
    await (command.command === 'listen' ? listen(command, running) : list(command, running));
    return EXIT.done;
  } catch (error) {
    if (signal.aborted || (error as Error).name === 'AbortError') return EXIT.done;
    if (!(error instanceof CliError)) throw error;
    screen.message(screen.paint('red', error.message));
    return error.exit;
  } finally {
    screen.end();
  }
}

const versionOf = () => (typeof CARELANE_CLI_VERSION === 'string' ? CARELANE_CLI_VERSION : 'from source');
const formatCount = (sequence: number) => sequence.toLocaleString('en-US');

async function list(
  { filter, json, follow, limit }: Extract<Command, { command: 'events' }>,
  { service, screen }: Running,
) {
  const from = follow && filter.after === null ? { ...filter, after: await newestSequence(service, filter) } : filter;
  let shownCount = 0;
  const progress = (through: number) =>
    screen.progress(`Read up to ${formatCount(through)}, ${formatCount(shownCount)} shown`);
  if (from.after !== null) progress(from.after);
  for await (const event of readEvents(service, from, { follow, size: limit, onRead: progress })) {
    await screen.line(json ? JSON.stringify(event) : lineOf(event));
    shownCount += 1;
    if (shownCount >= limit) return;
  }
}

async function listen(
  { filter, json, forwardTo, payload, signingFile }: Extract<Command, { command: 'listen' }>,
  { service, screen, signal, pausesMs }: Running,
) {
  const { secret, isNew } = await readSigningSecret(signingFile);
  const after = filter.after ?? (await newestSequence(service, filter));
  const counts = { forwarded: 0, missed: 0 };
  let firstMissed: number | null = null;
  let through = after;
  const progress = () =>
    screen.progress(
      `Waiting after ${formatCount(through)}, ${formatCount(counts.forwarded)} forwarded${counts.missed ? `, ${formatCount(counts.missed)} skipped` : ''}`,
    );
  const onFailure = ({ sequence, event_name }: FeedEvent, reason: string, pauseMs: number | null) => {
    const label = `${formatCount(sequence)} ${event_name}`;
    const next = pauseMs === null ? 'Skipped; later events continue.' : `Retrying in ${pauseMs / 1000} s.`;
    screen.message(
      `${screen.paint('yellow', `${sanitize(label)} was not accepted by ${forwardTo}: ${reason}.`)} ${next}`,
    );
  };
  const forward = createForwarder({ forwardTo, payload, secret }, { signal, onFailure, ...(pausesMs && { pausesMs }) });
  screen.message(`Forwarding events after ${formatCount(after)} to ${forwardTo}. Press Ctrl-C to end.`);
  screen.message(`Signed with ${isNew ? secret : `the secret of ${signingFile}`}`);
  progress();
  try {
    const onRead = (read: number) => {
      through = read;
      progress();
    };
    for await (const event of readEvents(service, { ...filter, after }, { follow: true, onRead })) {
      const { status, ms, attempts, error } = await forward(event);
      through = event.sequence;
      counts[error === null ? 'forwarded' : 'missed'] += 1;
      if (error !== null) firstMissed ??= event.sequence;
      progress();
      const { id, sequence, event_name } = event;
      const mark = error === null ? screen.paint('green', `${status}`) : screen.paint('red', `${status ?? 'failed'}`);
      await screen.line(
        json
          ? JSON.stringify({ sequence, id, event_name, status, ms, attempts, error })
          : `${lineOf(event)}  ${mark} in ${ms} ms${attempts > 1 ? `, attempt ${attempts}` : ''}`,
      );
    }
  } finally {
    screen.message(`${formatCount(counts.forwarded)} forwarded. To continue: --after ${through}`);
    if (firstMissed !== null)
      screen.message(`${formatCount(counts.missed)} skipped. To get them again: --after ${firstMissed - 1}`);
  }
}

/** Version of the API that the events come from. */
export const CONTRACT_VERSION = '1.0.0';
/** The same timeout as for the service's webhook endpoints. */
const TIMEOUT_MS = 15_000;
/** Pauses between attempts. The service itself retries for three days, which is too long for a terminal. */
const PAUSES_MS = [1_000, 5_000, 15_000];
const MAX_PAUSE_MS = 60_000;
const HTTP_GONE = 410;

type Target = { forwardTo: URL; payload: 'thin' | 'snapshot'; secret: string };
type ForwarderOptions = {
  signal: AbortSignal;
  onFailure: (event: FeedEvent, reason: string, pauseMs: number | null) => void;
  pausesMs?: number[];
};
type Forwarded = { status: number | null; ms: number; attempts: number; error: string | null };

/**
 * Posts events one after the other, in the format of the service's webhooks. An event that fails repeatedly is skipped:
 * later events of the same object then have its sequence in `missed_sequence`, and `cursor` stays before it.
 */
function createForwarder(
  { forwardTo, payload, secret }: Target,
  { signal, onFailure, pausesMs = PAUSES_MS }: ForwarderOptions,
) {
  const missed = new Map<string, number>();
  let firstMissed: number | null = null;

  const bodyOf = (event: FeedEvent): string =>
    JSON.stringify({
      type: `${event.event_type}.${event.event_topic}`,
      id: event.id,
      event_name: event.event_name,
      event_type: event.event_type,
      event_topic: event.event_topic,
      tenant_id: event.tenant_id,
      contract_version: CONTRACT_VERSION,
      timestamp: event.created_at,
      sequence: event.sequence,
      cursor: firstMissed === null ? event.sequence : firstMissed - 1,
      missed_sequence: missed.get(objectOf(event)) ?? null,
      replayed: false,
      object_id: objectOf(event),
      patient_id: event.patient_id,
      author_type: event.author_type,
      author_id: event.author_id,
      created_at: event.created_at,
      time: event.time,
      ...(payload === 'snapshot' && { payload: event.payload }),
    });

  async function post(id: string, body: string): Promise<Omit<Forwarded, 'attempts' | 'ms'> & { waitMs: number }> {
    try {
      const response = await fetch(forwardTo, {
        method: 'POST',
        body,
        headers: headersOf(id, body, secret),
        redirect: 'manual',
        signal: within(TIMEOUT_MS, signal),
      });
      await response.body?.cancel();
      const { status } = response;
      const waitMs = Number(response.headers.get('retry-after') || 0) * 1000 || 0;
      const isRedirect = status >= 300 && status < 400;
      const error = response.ok ? null : `status ${status}${isRedirect ? ', and redirects are not followed' : ''}`;
      return { status, error, waitMs };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, error: reasonOf(error), waitMs: 0 };
    }
  }

  return async (event: FeedEvent): Promise<Forwarded> => {
    const body = bodyOf(event);
    for (let attempts = 1; ; attempts += 1) {
      const startedAt = performance.now();
      const { status, error, waitMs } = await post(event.id, body);
      const ms = Math.round(performance.now() - startedAt);
      if (error === null) return { status, ms, attempts, error };
      if (status === HTTP_GONE)
        throw new CliError(`${forwardTo} responded with 410 (Gone): it accepts no more events.`);
      const next = pausesMs[attempts - 1];
      const pauseMs = next === undefined ? null : Math.min(Math.max(next, waitMs), MAX_PAUSE_MS);
      onFailure(event, error, pauseMs);
      if (pauseMs === null) {
        missed.set(objectOf(event), event.sequence);
        firstMissed ??= event.sequence;
        return { status, ms, attempts, error };
      }
      await pause(pauseMs, undefined, { signal });
    }
  };
}

/** Headers of Standard Webhooks. */
function headersOf(id: string, body: string, secret: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Carelane-CLI/1',
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': `v1,${signature}`,
  };
}
