import { fork } from 'node:child_process';
import path from 'node:path';
import { bundleProgram } from '../testing/start-service-process.ts';

/** The child's side of `startProcess`: responds to each message until the parent disconnects. */
export function serveMessages(handle: (message: never) => Promise<unknown>): void {
  process.on('message', (message) => {
    handle(message as never).then(
      (value) => process.send?.({ value }),
      (error: Error) => process.send?.({ fault: error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ value: 'ready' });
}

export type Helper = {
  /** Sends a message and waits for its response. Rejects with the child's error. */
  request<Result>(message: object | string): Promise<Result>;
  stop(): Promise<void>;
};

/**
 * Runs a program of this folder in a child process, so that it does not share an event loop with what is measured.
 * Bundled as the service is: a loader that compiles at run time adds calls to each function.
 */
export async function startProcess(program: string): Promise<Helper> {
  const bundle = await bundleProgram(path.join('../bench', program));
  const child = fork(bundle.file, { execArgv: [], env: { ...process.env, NODE_ENV: 'production' } });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(bundle.remove);
  const next = <Result>() =>
    new Promise<Result>((resolve, reject) => {
      const fail = () => reject(new Error(`${program} ended before it answered`));
      child.once('exit', fail);
      child.once('message', (message: { value: Result } | { fault: string }) => {
        child.off('exit', fail);
        if ('value' in message) resolve(message.value);
        else reject(new Error(`${program}: ${message.fault}`));
      });
    });
  await next();
  return {
    request<Result>(message: object | string) {
      const result = next<Result>();
      child.send(message);
      return result;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
