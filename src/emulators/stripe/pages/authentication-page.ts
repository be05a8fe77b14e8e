import type { EmulatorRequest, Route, World } from '../../core/route.ts';
import { openLedger } from '../ledger.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import { finishAuthentication, intentOfAuthentication } from '../resources/authentications.ts';
import type { StripeState } from '../state.ts';
import { html, page, redirect } from './page.ts';

const PATH = '/3ds/:account/:source';

/**
 * Routes of the bank's page that `next_action.redirect_to_url` or Checkout
 * redirects to. It returns to the `return_url` or the session.
 */
export function authenticationPages(options: StripeEmulatorOptions): Route<StripeState>[] {
  const open = ({ params: { account, source } }: EmulatorRequest, world: World<StripeState>) => {
    if (account === undefined || source === undefined) throw new Error(`${PATH} without its parameters`);
    if (!Object.hasOwn(world.state.accounts, account)) return undefined;
    const ledger = openLedger(world, options, account);
    const session = ledger.all('checkout_session').find((candidate) => candidate._attempt?.authentication === source);
    return session ? { session } : { ledger, intent: intentOfAuthentication(ledger, source) };
  };
  const done = () => page('Done', html`<p>You can close this page.</p>`);
  const unknown = () =>
    page('Nothing to authenticate', html`<p>The authentication is complete or does not exist.</p>`, 404);
  return [
    {
      method: 'GET',
      path: PATH,
      handle(request, world) {
        if (!open(request, world)) return unknown();
        return page(
          '3-D Secure authentication',
          html`<p>The test bank asks whether this is you.</p>
<form method="post"><button name="outcome" value="succeeded">Complete authentication</button>
<button name="outcome" value="failed">Fail authentication</button></form>`,
        );
      },
    },
    {
      method: 'POST',
      path: PATH,
      handle(request, world) {
        const challenge = open(request, world);
        if (!challenge) return unknown();
        const passed = (request.body as { outcome?: string }).outcome === 'succeeded';
        if (challenge.session) {
          const { _attempt: attempt, url } = challenge.session;
          if (!attempt) throw new Error(`No attempt in ${challenge.session.id}`);
          delete attempt.authentication;
          attempt.authenticated = passed;
          return url ? redirect(url) : done();
        }
        const { intent, ledger } = challenge;
        const returnUrl = intent._return_url;
        finishAuthentication(ledger, intent, passed ? 'succeeded' : 'failed');
        if (!returnUrl) return done();
        const target = new URL(returnUrl);
        target.searchParams.set(intent.object, intent.id);
        target.searchParams.set(`${intent.object}_client_secret`, intent.client_secret);
        target.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed');
        return redirect(target.href);
      },
    },
  ];
}
