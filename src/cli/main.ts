import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliError, EXIT } from './cli-error.ts';
import { type FeedEvent, lineOf, newestSequence, readEvents } from './feed.ts';
import { createForwarder } from './forward.ts';
import { type Command, readOptions, USAGE } from './options.ts';
import { createScreen, type Env, type Output, type Screen, sanitize } from './screen.ts';
import { createService, type Service } from './service.ts';

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
  throw new CliError(
    'Which secret? Set CARELANE_CLIENT_SECRET, or name a file with --client-secret-file.',
    EXIT.misused,
  );
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${file} cannot be read (${error.code}).`, EXIT.misused);
  });
  const secret = text.trim();
  if (!secret || /\s/.test(secret)) throw new CliError(`${file} must hold the secret and nothing else.`, EXIT.misused);
  return secret;
}

/** Prompts without echo. */
async function prompt({ stdin, stderr, signal }: Terminal): Promise<string> {
  stderr.write('The application’s secret: ');
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
    if (!typed.trim()) throw new CliError('No secret, no events.', EXIT.misused);
    return typed.trim();
  } finally {
    reader.close();
    stderr.write('\n');
  }
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Returns the signing secret: from a file, which is created when it does not exist, or a new one for this run. */
async function readSigningSecret(file: string | undefined): Promise<{ secret: string; isNew: boolean }> {
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  if (!file) return { secret: made, isNew: true };
  try {
    // 'wx': does not overwrite an existing file.
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return { secret: made, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new CliError(`${file} cannot be written (${code}).`, EXIT.misused);
  }
  const secret = await readSecret(file);
  if (!SECRET.test(secret)) throw new CliError(`${file} holds no secret for webhooks (whsec_…).`, EXIT.misused);
  return { secret, isNew: false };
}

declare const CARELANE_CLI_VERSION: string | undefined;

type Surroundings = {
  env: Env;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Pauses between the attempts to forward an event. */
  pausesMs?: number[];
};
type Running = { service: Service; screen: Screen } & Pick<Surroundings, 'signal' | 'pausesMs'>;

/**
 * Runs the command.
 * @returns its exit code
 */
export async function main(
  args: string[],
  { env, stdin, stdout, stderr, signal, pausesMs }: Surroundings,
): Promise<number> {
  const screen = createScreen({ stdout, stderr, env });
  try {
    const asked = readOptions(args, env);
    if (asked === 'help' || asked === 'version') {
      await screen.line(asked === 'help' ? USAGE : versionOf());
      return EXIT.done;
    }
    const { clientId, secretFile, url } = asked;
    if (!clientId)
      throw new CliError('Which application? Set CARELANE_CLIENT_ID, or name it with --client-id.', EXIT.misused);
    const clientSecret = await readClientSecret(secretFile, { env, stdin, stderr, signal });
    const onWait = (why: string, seconds: number) =>
      screen.say(`${screen.paint('yellow', why)} Trying again in ${seconds} s.`);
    const onBack = () => screen.say('The service answers again.');
    const service = createService({ url, clientId, clientSecret }, { signal, onWait, onBack });
    const running = { service, screen, signal, ...(pausesMs && { pausesMs }) };
    await (asked.command === 'listen' ? listen(asked, running) : list(asked, running));
    return EXIT.done;
  } catch (error) {
    if (signal.aborted || (error as Error).name === 'AbortError') return EXIT.done;
    if (!(error instanceof CliError)) throw error;
    screen.say(screen.paint('red', error.message));
    return error.exit;
  } finally {
    screen.end();
  }
}

const versionOf = () => (typeof CARELANE_CLI_VERSION === 'string' ? CARELANE_CLI_VERSION : 'from source');
const inWords = (sequence: number) => sequence.toLocaleString('en-US');

async function list(
  { which, json, follow, limit }: Extract<Command, { command: 'events' }>,
  { service, screen }: Running,
) {
  const from = follow && which.after === null ? { ...which, after: await newestSequence(service, which) } : which;
  let shown = 0;
  const progress = (through: number) => screen.progress(`Read up to ${inWords(through)}, ${inWords(shown)} shown`);
  if (from.after !== null) progress(from.after);
  for await (const event of readEvents(service, from, { follow, size: limit, onRead: progress })) {
    await screen.line(json ? JSON.stringify(event) : lineOf(event));
    shown += 1;
    if (shown >= limit) return;
  }
}

async function listen(
  { which, json, forwardTo, payload, signingFile }: Extract<Command, { command: 'listen' }>,
  { service, screen, signal, pausesMs }: Running,
) {
  const { secret, isNew } = await readSigningSecret(signingFile);
  const after = which.after ?? (await newestSequence(service, which));
  const counts = { forwarded: 0, missed: 0 };
  let firstMissed: number | null = null;
  let through = after;
  const progress = () =>
    screen.progress(
      `Waiting after ${inWords(through)}, ${inWords(counts.forwarded)} forwarded${counts.missed ? `, ${inWords(counts.missed)} given up` : ''}`,
    );
  let current: FeedEvent | null = null;
  const onFailure = (why: string, pauseMs: number | null) => {
    const what = `${inWords(current!.sequence)} ${current!.event_name}`;
    const next = pauseMs === null ? 'Given up; what comes after it goes on.' : `Trying again in ${pauseMs / 1000} s.`;
    screen.say(`${screen.paint('yellow', `${sanitize(what)} was not taken by ${forwardTo}: ${why}.`)} ${next}`);
  };
  const forward = createForwarder({ forwardTo, payload, secret }, { signal, onFailure, ...(pausesMs && { pausesMs }) });
  screen.say(`Events after ${inWords(after)} go to ${forwardTo}. Ctrl-C ends.`);
  screen.say(`Signed with ${isNew ? secret : `the secret of ${signingFile}`}`);
  progress();
  try {
    const onRead = (read: number) => {
      through = read;
      progress();
    };
    for await (const event of readEvents(service, { ...which, after }, { follow: true, onRead })) {
      current = event;
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
          : `${lineOf(event)}  ${mark} in ${ms} ms${attempts > 1 ? `, try ${attempts}` : ''}`,
      );
    }
  } finally {
    screen.say(`${inWords(counts.forwarded)} forwarded. To go on from here: --after ${through}`);
    if (firstMissed !== null)
      screen.say(`${inWords(counts.missed)} given up. To have them again too: --after ${firstMissed - 1}`);
  }
}
