import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT, Refused } from './refused.ts';
import type { Env, Output } from './screen.ts';

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
export async function readClientSecret(file: string | undefined, terminal: Terminal): Promise<string> {
  const { env, stdin, stderr } = terminal;
  if (file) return readSecret(file);
  if (env.CARELANE_CLIENT_SECRET) return env.CARELANE_CLIENT_SECRET;
  if (stdin.isTTY && stderr.isTTY) return prompt(terminal);
  throw new Refused(
    'Which secret? Set CARELANE_CLIENT_SECRET, or name a file with --client-secret-file.',
    EXIT.misused,
  );
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refused(`${file} cannot be read (${error.code}).`, EXIT.misused);
  });
  const secret = text.trim();
  if (!secret || /\s/.test(secret)) throw new Refused(`${file} must hold the secret and nothing else.`, EXIT.misused);
  return secret;
}

/** Prompts without echo. */
async function prompt({ stdin, stderr, signal }: Terminal): Promise<string> {
  stderr.write('The application’s secret: ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      const stop = () => reject(signal.reason ?? new DOMException('stopped', 'AbortError'));
      signal.addEventListener('abort', stop, { once: true });
      // In raw mode, Ctrl-C arrives here and not at the process.
      reader.once('SIGINT', stop);
      reader.once('close', stop);
      reader.once('line', resolve);
    });
    if (!typed.trim()) throw new Refused('No secret, no events.', EXIT.misused);
    return typed.trim();
  } finally {
    reader.close();
    stderr.write('\n');
  }
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Returns the signing secret: from a file, which is created when it does not exist, or a new one for this run. */
export async function readSigningSecret(file: string | undefined): Promise<{ secret: string; isNew: boolean }> {
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  if (!file) return { secret: made, isNew: true };
  try {
    // 'wx': does not overwrite an existing file.
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return { secret: made, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new Refused(`${file} cannot be written (${code}).`, EXIT.misused);
  }
  const secret = await readSecret(file);
  if (!SECRET.test(secret)) throw new Refused(`${file} holds no secret for webhooks (whsec_…).`, EXIT.misused);
  return { secret, isNew: false };
}
