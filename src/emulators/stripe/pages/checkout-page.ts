import { type EmulatorRequest, ErrorReply, type Reply, type Route, type World } from '../../core/route.ts';
import { type Progress, payCheckout, resumeCheckout } from '../billing/checkout.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import type { CheckoutSession } from '../objects.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import { newMethod } from '../resources/payment-methods.ts';
import { type StripeState, stored } from '../state.ts';
import { html, money, page, redirect } from './page.ts';

const PATH = '/c/pay/:account/:id';

/** Routes of a Checkout Session's hosted page: takes the payment, handles 3-D Secure, and returns to `success_url`. */
export function checkoutPages(options: StripeEmulatorOptions): Route<StripeState>[] {
  const open = ({ params: { account = '', id = '' } }: EmulatorRequest, world: World<StripeState>) => {
    const session = world.state.accounts[account]?.objects.checkout_session[id];
    return session && { session, ledger: openLedger(world, options, account) };
  };
  const endedPage = (session?: CheckoutSession) =>
    session?.status === 'complete'
      ? redirect(successUrl(session))
      : page('This checkout has ended', html`<p>Start again from the previous page.</p>`, 404);
  return [
    {
      method: 'GET',
      path: PATH,
      handle(request, world) {
        const opened = open(request, world);
        if (opened?.session.status !== 'open') return endedPage(opened?.session);
        const { session, ledger } = opened;
        // The buyer returns from the bank's page.
        if (session._attempt) return runAndRespond(ledger, session, () => resumeCheckout(ledger, session));
        return form(ledger, session);
      },
    },
    {
      method: 'POST',
      path: PATH,
      handle(request, world) {
        const opened = open(request, world);
        if (opened?.session.status !== 'open') return endedPage(opened?.session);
        const { session, ledger } = opened;
        return runAndRespond(ledger, session, () => submit(ledger, session, request.body as Record<string, string>));
      },
    },
  ];
}

function submit(ledger: Ledger, session: CheckoutSession, typed: Record<string, string>): Progress {
  const codeText = session.allow_promotion_codes ? typed.code?.trim().toLowerCase() : undefined;
  const code = codeText
    ? ledger.all('promotion_code').find((candidate) => candidate.code.toLowerCase() === codeText)
    : undefined;
  if (codeText && !code) return { type: 'declined', message: 'This code is invalid.' };
  return payCheckout(ledger, session, {
    email: typed.email?.trim() || null,
    method: typed.number || asksForCard(session) ? typedCard(ledger, typed).id : null,
    ...(code && { promotionCode: code.id }),
  });
}

function typedCard(ledger: Ledger, typed: Record<string, string>) {
  const [exp_month = '', exp_year = ''] = (typed.expiry ?? '').split('/').map((part) => part.trim());
  const card = { number: typed.number ?? '', exp_month, exp_year, cvc: typed.cvc ?? '' };
  return newMethod(ledger, { type: 'card', card }, 'publishable');
}

const asksForCard = ({ amount_total, payment_method_collection }: CheckoutSession) =>
  payment_method_collection !== 'if_required' || amount_total !== 0;

function runAndRespond(ledger: Ledger, session: CheckoutSession, pay: () => Progress): Reply {
  try {
    const progress = pay();
    if (progress.type === 'authenticate') return redirect(progress.url);
    if (progress.type === 'complete') return redirect(successUrl(session));
    return form(ledger, session, progress.message);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return form(ledger, session, (error.reply.body as { error: { message: string } }).error.message);
  }
}

function successUrl({ id, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);
}

function form({ data }: Ledger, session: CheckoutSession, problem?: string): Reply {
  const lines = session._items.map(({ price: id, quantity }) => {
    const price = stored(data, 'price', id);
    const name = data.objects.product[price.product]?.name;
    const each = `${money(price.unit_amount * quantity, price.currency)} per ${price.recurring?.interval}`;
    return html`<tr><td>${quantity} × ${name}</td><td>${each}</td></tr>`;
  });
  const trial = session._subscription_data.trial_period_days;
  const title = session.mode === 'setup' ? 'Save a card' : 'Subscribe';
  const typesEmail = session.customer === null && session.customer_email === null;
  return page(
    title,
    html`<table>${lines}</table>
${trial ? html`<p>Free for ${trial} days.</p>` : ''}
<form method="post">
${typesEmail ? html`<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="email" required>` : ''}
${
  asksForCard(session)
    ? html`<label for="number">Card number</label><input id="number" name="number" inputmode="numeric" autocomplete="cc-number" required>
<label for="expiry">Expiration date (MM / YY)</label><input id="expiry" name="expiry" autocomplete="cc-exp" required>
<label for="cvc">Security code</label><input id="cvc" name="cvc" inputmode="numeric" autocomplete="cc-csc" required>`
    : ''
}
${session.allow_promotion_codes ? html`<label for="code">Promotion code</label><input id="code" name="code" autocomplete="off">` : ''}
<p class="error" role="alert">${problem}</p>
<button>${title}</button>
${session.cancel_url ? html`<a class="button" href="${session.cancel_url}">Back</a>` : ''}
</form>`,
  );
}
