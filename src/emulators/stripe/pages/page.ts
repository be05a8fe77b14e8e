import { Html, html } from '../../core/html.ts';
import type { Reply } from '../../core/route.ts';

export { html };

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 30rem; margin: 8vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.4rem; } label { display: block; margin: .8rem 0 .2rem; }
  input { box-sizing: border-box; width: 100%; padding: .7rem; font: inherit; border: 1px solid #767676; border-radius: .4rem; }
  button, .button { display: inline-block; margin: 1.2rem .6rem 0 0; padding: .7rem 1.2rem; font: inherit; cursor: pointer;
    border: 1px solid; border-radius: .4rem; background: none; color: inherit; text-decoration: none; }
  .error { color: light-dark(#b3093c, #ff8aa5); } td { padding: .2rem 1.5rem .2rem 0; } small { opacity: .85; }`;

/** Renders a Stripe-hosted page. */
export function page(title: string, content: Html, status = 200): Reply {
  const body = html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${new Html(STYLE)}</style>
<main><h1>${title}</h1>
${content}
<p><small>Stripe emulator: no real money moves here.</small></p></main></html>`;
  return { status, body: body.text, headers: { 'content-type': 'text/html; charset=utf-8' } };
}

export function redirect(url: string): Reply {
  return { status: 303, headers: { location: url } };
}

export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
