import { createRequire } from 'node:module';
import { build } from 'esbuild';
import type { Route } from '../../core/route.ts';
import type { StripeState } from '../state.ts';

let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
  // Resolves by the package's imports map, because this file may itself be bundled elsewhere.
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
 * Serves the Stripe.js stand-in, bundled on the first request. The script
 * calls the host that the request named, which may be a proxy's.
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
