import { PassThrough } from 'node:stream';
import { main } from '../main.ts';
import type { Env, Output } from '../screen.ts';

/** A stream and the text that was written to it. */
function captureStream(options: { isTTY?: boolean } = {}) {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  return { output: Object.assign(stream, options) as unknown as Output, read: () => text };
}

/** Runs the command in this process, as from a shell; `stop` is Ctrl-C. */
export function runCommand(args: string[], env: Env, { isTTY = false, pausesMs = [1, 1, 1] } = {}) {
  const stopping = new AbortController();
  const [out, err] = [captureStream({ isTTY }), captureStream({ isTTY })];
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const exit = main(args, {
    env,
    stdin,
    stdout: out.output,
    stderr: err.output,
    signal: stopping.signal,
    pausesMs,
  });
  return {
    exit,
    stdin,
    out: out.read,
    err: err.read,
    lines: () => out.read().split('\n').filter(Boolean),
    stop: () => {
      stopping.abort();
      return exit;
    },
  };
}
