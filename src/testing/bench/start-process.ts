import { fork } from 'node:child_process';
import path from 'node:path';

export type Helper = {
  /** Sends, and waits for the one answer. */
  ask<Answer>(message: object | string): Promise<Answer>;
  stop(): Promise<void>;
};

/** Runs a program of this folder in a process of its own, so that it and what is measured share no event loop. */
export async function startProcess(program: string, env: Record<string, string> = {}): Promise<Helper> {
  const child = fork(path.join(import.meta.dirname, program), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const fail = () => reject(new Error(`${program} ended before it answered`));
      child.once('exit', fail);
      child.once('message', (message) => {
        child.off('exit', fail);
        resolve(message);
      });
    });
  await next();
  return {
    ask<Answer>(message: object | string) {
      const answer = next() as Promise<Answer>;
      child.send(message);
      return answer;
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
