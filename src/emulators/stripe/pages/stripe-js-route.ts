import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Route } from '../../core/route.ts';
import type { StripeState } from '../state.ts';

const ENTRY = fileURLToPath(new URL('../browser/stripe-js.ts', import.meta.url));
let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
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
