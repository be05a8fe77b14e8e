import type { Route, World } from '../../core/route.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import { completeOnboarding } from '../resources/accounts.ts';
import type { StripeState } from '../state.ts';
import { html, page, redirect } from './page.ts';

interface Link {
  expires_at: number;
  refresh_url: string;
  return_url: string;
  /** The link has been opened; the page that it opened can still be submitted. */
  opened?: boolean;
  used?: boolean;
}

/** Finds a link. It opens once, within five minutes; a used or expired one redirects to `refresh_url`. */
function linkOf(world: World<StripeState>, account: string, token: string): { link: Link; live: boolean } | undefined {
  const links = world.state.accounts[account]?.account._links as Record<string, Link> | undefined;
  const link = links?.[token];
  return link && { link, live: !link.used && world.clock.nowSeconds() < link.expires_at };
}

const PATH = '/setup/:account/:token';
const unknown = () => page('This link is not valid', html`<p>Request a new link.</p>`, 404);

/** Routes of the hosted onboarding that an account link opens. */
export function onboardingPages(options: StripeEmulatorOptions): Route<StripeState>[] {
  return [
    {
      method: 'GET',
      path: PATH,
      handle({ params: { account = '', token = '' } }, world) {
        const match = linkOf(world, account, token);
        if (!match) return unknown();
        if (!match.live || match.link.opened) return redirect(match.link.refresh_url);
        match.link.opened = true;
        return page(
          'Connect your business',
          html`<p>This page replaces the pages on which a business enters its details and bank account and accepts the terms.</p>
<form method="post"><button name="answer" value="complete">Complete onboarding</button>
<button name="answer" value="later">Leave for later</button></form>`,
        );
      },
    },
    {
      method: 'POST',
      path: PATH,
      handle({ body, params: { account = '', token = '' } }, world) {
        const match = linkOf(world, account, token);
        if (!match) return unknown();
        if (!match.live) return redirect(match.link.refresh_url);
        Object.assign(match.link, { used: true });
        if ((body as { answer?: string }).answer === 'complete') completeOnboarding(world, options, account);
        return redirect(match.link.return_url);
      },
    },
  ];
}
