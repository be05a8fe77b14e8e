import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { assembleApp } from '../src/dev/testing/guides/assemble-app.ts';
import { fillIn, type Guide, readGuides, readPages, type Values } from '../src/dev/testing/guides/read-guides.ts';
import { freePort } from '../src/dev/testing/http-server.ts';
import type { Api } from './api.ts';
import { cardFile, readCard } from './card.ts';

type Plan = { id: string; trial_period_in_days: number | null; recurring: object | null };

/** The reader's own values, from the copy of this worker. */
async function ownValues(api: Api): Promise<Values> {
  const { auth_url, base_url, client_id, client_secret, configuration_tokens, emulators, portal_url } = readCard();
  const plans = await api.call<Plan[]>('/subscription_plans');
  const [type] = await api.call<{ id: number }[]>('/appointment_types');
  const priceOf = (hasTrial: boolean) =>
    plans.find((plan) => Boolean(plan.trial_period_in_days) === hasTrial)?.id ?? '';
  return {
    ...{ base_url, token_url: auth_url, origin: portal_url, packages_origin: portal_url },
    ...{ client_id, client_secret },
    ...{ inbox_url: emulators.inbox, price_id: priceOf(false), trial_price_id: priceOf(true) },
    configuration: configuration_tokens.passwordless,
    configuration_by_password: configuration_tokens.credentials,
    appointment_type_id: String(type?.id),
  };
}

/** A program that runs until it is stopped. */
type Running = { output: () => string; stop(): Promise<void> };

export type DocsApp = Awaited<ReturnType<typeof startDocsApp>>;

/**
 * Creates the guides' app in a folder of its own, with the packages that the copy serves, and ports for its pages and
 * its receiver.
 */
export async function startDocsApp(api: Api) {
  const guides = readGuides();
  const pages = readPages();
  const values = await ownValues(api);
  const packages = ['client', 'auth-sdk'].map((name) => `${values.origin}/packages/carelane-${name}.tgz`);
  const folder = await assembleApp([...guides, ...pages], values, packages);
  const [pagesPort, hooksPort] = [await freePort(), await freePort()];
  const env = { ...minimalEnv(), PORT: String(hooksPort), WEBHOOK_URL: `http://localhost:${hooksPort}/hooks` };
  const running: Running[] = [];
  return {
    folder,
    guides,
    pages,
    url: `http://localhost:${pagesPort}`,
    /** Fills in the reader's own values, as the docs show them to a signed-in user. */
    filled: (lines: string) =>
      fillIn(lines, values)
        .replace('/path/to/carelane/.run/card.json', path.resolve(cardFile()))
        .replace("CLIENT_SECRET='…'", `CLIENT_SECRET='${values.client_secret}'`),
    /**
     * Runs lines of a guide to their end.
     * @throws when one of them fails, with its output
     */
    async run(lines: string): Promise<string> {
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { cwd: folder, env });
      return stdout;
    },
    /** Starts a program that a guide leaves running; pages are served on a port of their own. */
    begin(lines: string): Running {
      const program = startProgram(lines.replace('5173', String(pagesPort)), folder, env);
      running.push(program);
      return program;
    },
    async stop(): Promise<void> {
      await Promise.all(running.map(({ stop }) => stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** No project settings, only where programs are found. */
const minimalEnv = () => ({ PATH: process.env.PATH, HOME: process.env.HOME }) as unknown as NodeJS.ProcessEnv;

function startProgram(lines: string, cwd: string, env: NodeJS.ProcessEnv): Running {
  // In a process group of its own, so that what the shell starts ends with it; esbuild serves until its input ends.
  const child = spawn('bash', ['--norc', '-euc', lines], { cwd, env, detached: true, stdio: 'pipe' });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    output: () => output.join(''),
    async stop() {
      end(child);
      await exited;
    },
  };
}

function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid && exitCode === null && signalCode === null) process.kill(-pid);
}

/** The only shell snippet of the guides that contains `part`. */
export function snippetWith(guides: Guide[], part: string): string {
  const snippets = guides.flatMap(({ fences }) =>
    fences.filter(({ code, language }) => language === 'sh' && code.includes(part)),
  );
  if (snippets.length !== 1) throw new Error(`${snippets.length} snippets have ${part}`);
  return snippets[0]!.code;
}
