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

/**
 * The stand-in for Stripe.js, bundled at its first request. It calls the address that it was asked for at, also where a
 * page has it from somebody who passed it on.
 */
export const stripeJsRoute: Route<StripeState> = {
  method: 'GET',
  path: '/endive/stripe.js',
  async handle({ headers }) {
    bundled ??= bundle();
    return {
      status: 200,
      body: `((EMULATOR_ORIGIN) => {\n${await bundled}})(${JSON.stringify(`http://${headers.host}`)});\n`,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
    };
  },
};
