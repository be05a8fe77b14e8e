import { createRequire } from 'node:module';
import { build } from 'esbuild';
import type { Route } from '../../core/route.ts';
import type { StripeState } from '../state.ts';

let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
  // By the package's own imports map, since this file may itself be part of a bundle elsewhere.
  const entry = createRequire(import.meta.url).resolve('#emulators/stripe/browser/stripe-js.ts');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}

/** The stand-in for Stripe.js, bundled at its first request. */
export const stripeJsRoute: Route<StripeState> = {
  method: 'GET',
  path: '/endive/stripe.js',
  async handle() {
    bundled ??= bundle();
    return {
      status: 200,
      body: await bundled,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
    };
  },
};
