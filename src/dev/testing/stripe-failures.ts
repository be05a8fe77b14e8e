import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Stripe from 'stripe';
import type { Context, Services } from '#server/core/context.ts';
import { root } from '../../launcher/root.mjs';

/** A call site of Stripe in the source: file, line and method. */
export type CallSite = { at: string; method: string };
/**
 * How one call to Stripe fails: the request is lost, the response is lost, or the caller's process is killed before the
 * call or after it took effect.
 */
export type Failure = { call: number; how: FailureKind };
export const FAILURE_KINDS = ['lost before', 'lost after', 'killed before', 'killed after'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const PROVIDERS = 'src/server/providers';
const CALL = /\bstripe\s*\.((?:[a-zA-Z]+\.)+[a-zA-Z]+)\(/g;
const METHOD =
  /(?:^|\.)(?:create|update|resume|cancel|del|detach|attach|expire|pay|voidInvoice|finalizeInvoice|confirm|close)$/;
/** `createPreview` only reads and does not match. */
export const isMutation = ({ method }: CallSite): boolean => METHOD.test(method);

/** Lists every Stripe call in the source, so that a new call is covered as soon as it is written. */
export function allCallSites(): CallSite[] {
  const files = readdirSync(path.join(root, PROVIDERS)).filter((file) => /^stripe.*(?<!\.test)\.ts$/.test(file));
  return files.flatMap((file) =>
    readFileSync(path.join(root, PROVIDERS, file), 'utf8')
      .split('\n')
      .flatMap((line, n) =>
        [...line.matchAll(CALL)]
          .map(([, method]) => method!)
          // Verifies a signature locally and sends no request.
          .filter((method) => method !== 'webhooks.constructEvent')
          .map((method) => ({ at: `${file}:${n + 1}`, method })),
      ),
  );
}

const NEVER = new Promise<never>(() => {});
/** A dead process's database: no call ever settles. */
const dead: unknown = new Proxy(() => NEVER, { get: (_, name) => (name === 'then' ? undefined : dead) });

/** Simulates a process of its own whose connection to Stripe is cut at one call. */
export function withStripeFailure(services: Services, cut: Failure | null) {
  const calls: CallSite[] = [];
  let isDead = false;
  let killed: () => void = () => {};
  const death = new Promise<'killed'>((resolve) => {
    killed = () => resolve('killed');
  });
  const die = (): Promise<never> => {
    isDead = true;
    killed();
    return NEVER;
  };
  const lose = () => {
    throw new Stripe.errors.StripeConnectionError({ message: 'The line was cut.' } as never);
  };
  // No call starts once the process is dead, because none of its code runs any more.
  const call = async (method: string, make: () => Promise<unknown>): Promise<unknown> => {
    const number = calls.push({ at: callingLine(), method });
    if (number !== cut?.call) return make();
    if (cut.how === 'killed before') return die();
    if (cut.how === 'lost before') return lose();
    // An error response counts as a response too.
    await make().catch(() => {});
    return cut.how === 'killed after' ? die() : lose();
  };
  const wrap = (target: object, trail: string): object =>
    new Proxy(target, {
      get(from, name) {
        // biome-ignore lint/suspicious/noExplicitAny: the client is walked by name
        const member = (from as any)[name];
        const at = trail ? `${trail}.${String(name)}` : String(name);
        if (typeof member === 'function' && trail)
          return (...args: unknown[]) => call(at, () => member.apply(from, args));
        const isPart = typeof member === 'object' && member !== null && !['errors', 'webhooks'].includes(at);
        return isPart && typeof name === 'string' && !name.startsWith('_') ? wrap(member, at) : member;
      },
    });
  const client = wrap(services.providers.stripe(), '') as Stripe;
  const providers = { ...services.providers, stripe: () => client };
  const own = { ...services, providers };
  return {
    calls,
    /** The same caller, in this process. */
    as: (ctx: Context): Context => ({
      ...ctx,
      ...own,
      clock: ctx.clock,
      db: new Proxy(ctx.db, { get: (db, name) => (isDead ? dead : Reflect.get(db, name)) }),
    }),
    /** Waits for the work or for the process's death. */
    ending: (work: Promise<unknown>): Promise<unknown> =>
      Promise.race([work.catch((error: unknown) => (isDead ? 'killed' : error)), death]),
  };
}

/** The line in the provider modules that made the call. */
function callingLine(): string {
  const frame = new Error().stack?.split('\n').find((line) => /providers\/stripe[a-z-]*\.ts/.test(line)) ?? '';
  const [, file, line] = /providers\/(stripe[a-z-]*\.ts)(?:\?[^:]*)?:(\d+)/.exec(frame) ?? [];
  return `${file}:${line}`;
}
