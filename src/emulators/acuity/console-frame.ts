import { Html, html } from '../core/html.ts';
import type { Reply } from '../core/route.ts';
import type { Account } from './state.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: light-dark(#d5dede, #3b4545); --quiet: light-dark(#556465, #a9b6b6); }
  body { background: light-dark(#fff, #101515); color: light-dark(#1d2b2c, #e6eded); max-width: 58rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
  h1 { font-size: 1.4rem; margin: .5rem 0 } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; scroll-margin-top: 1rem } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem }
  p { margin: .3rem 0 } .quiet { color: var(--quiet) } nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: .6rem 0; border-block: 1px solid var(--line) }
  nav a { padding: .25rem 0 } ul { list-style: none; padding: 0; margin: 0 } li, details { border-top: 1px solid var(--line); padding: .6rem 0 }
  li { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; justify-content: space-between } li > div { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere }
  summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere } form { display: flex; flex-wrap: wrap; gap: .6rem .8rem; align-items: end; margin: .5rem 0 }
  li form { margin: 0 } label { display: grid; gap: .15rem; font-size: .9rem; flex: 0 1 auto; min-width: 0 } label.tick { display: flex; align-items: center; gap: .4rem; min-height: 2.4rem }
  fieldset { border: 1px solid var(--line); border-radius: .4rem; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 0; padding: .3rem .7rem; min-width: 0 } legend { font-size: .9rem }
  input, select, textarea, button { font: inherit; color: inherit; box-sizing: border-box; max-width: 100%; min-height: 2.4rem; padding: .3rem .6rem; border: 1px solid light-dark(#7b8a8b, #7d8a8b); border-radius: .4rem; background: light-dark(#fff, #171d1d) }
  input[type=checkbox] { min-height: 0; width: 1.15rem; height: 1.15rem } button { cursor: pointer; background: none } :focus-visible { outline: 3px solid light-dark(#2f6f73, #7cc4c8); outline-offset: 2px }
  .alert { border: 1px solid; border-radius: .4rem; padding: .5rem .8rem; color: light-dark(#9b1c31, #ff9db0) }
  @media (max-width: 40rem) { label, fieldset, form > button { flex: 1 1 100% } input:not([type=checkbox]), select, textarea { width: 100% } }
`;

export const PARTS = [
  ['appointments', 'Appointments'],
  ['account', 'Account'],
  ['calendars', 'Calendars and hours'],
  ['blocks', 'Blocked time'],
  ['types', 'Appointment types'],
  ['forms', 'Forms'],
  ['webhooks', 'Webhooks'],
  ['faults', 'Faults'],
  ['break', 'Break something'],
] as const;
export type Part = (typeof PARTS)[number][0];

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'",
};

export function frame(title: string, content: Html, status = 200): Reply {
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>${title}</title>
<style>${new Html(STYLE)}</style></head><body><main>
<h1>${title}</h1><p class="quiet">This page emulates Acuity Scheduling in a sandbox. Changes here are made at the provider, outside Carelane.</p>
${content}</main></body></html>`;
  return { status, body: body.text, headers: HEADERS };
}

export const section = (part: Part, content: Html): Html =>
  html`<section aria-labelledby="${part}"><h2 id="${part}" tabindex="-1">${PARTS.find(([id]) => id === part)![1]}</h2>
${content}</section>`;

export const navigation = (): Html =>
  html`<nav aria-label="Parts of this page">${PARTS.map(([id, label]) => html`<a href="#${id}">${label}</a>`)}</nav>`;

/** Renders a form that posts to one of the account's console actions. */
export const form = (account: Account, action: string, fields: Html, submit: string, about = ''): Html =>
  html`<form method="post" action="/console/${account.userId}/${action}">${fields}<button${
    about ? html` aria-label="${submit}: ${about}"` : ''
  }>${submit}</button></form>`;

type Input = { type?: string; required?: boolean; size?: number; min?: number };

export const input = (label: string, name: string, value: unknown = '', more: Input = {}): Html =>
  html`<label>${label}<input name="${name}" value="${value}" type="${more.type ?? 'text'}"${
    more.required ? html` required` : ''
  }${more.size ? html` size="${more.size}"` : ''}${more.min === undefined ? '' : html` min="${more.min}"`}></label>`;

export const choice = (
  label: string,
  name: string,
  options: { value: unknown; label: string }[],
  selected?: unknown,
): Html =>
  html`<label>${label}<select name="${name}">${options.map(
    (option) =>
      html`<option value="${option.value}"${String(option.value) === String(selected ?? '') ? html` selected` : ''}>${option.label}</option>`,
  )}</select></label>`;

export const checkbox = (label: string, name: string, checked: boolean, value = 'true'): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${checked ? html` checked` : ''}>${label}</label>`;

/**
 * Renders checkboxes for several ids. The hidden empty value lets the handler detect the field when no box is checked.
 */
export const checkboxes = (
  legend: string,
  name: string,
  all: { id: number; name: string }[],
  selectedIds: number[],
): Html =>
  html`<fieldset><legend>${legend}</legend><input type="hidden" name="${name}[]" value="">${all.map((option) =>
    checkbox(option.name || `(no name, ${option.id})`, `${name}[]`, selectedIds.includes(option.id), String(option.id)),
  )}</fieldset>`;
