import type { Message } from './message.ts';

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1d2b2c; }
  article { border-top: 1px solid #cfd8d8; padding: 1rem 0; }
  h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin: 0 } p { margin: 0; color: #5a6a6b }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .6rem 0 0 }
`;

/** Renders every message as text with clickable links. HTML parts of emails are never rendered. */
export function inboxPage(messages: Message[]): string {
  const list = messages.map(article).join('') || '<p>Nothing has been sent yet.</p>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inbox</title>
<style>${STYLE}</style></head><body><h1>Messages sent, newest first</h1>${list}</body></html>`;
}

const WRITE_BACK = (id: string) => `
<form method="post" action="/messages/${id}/reply"><label>Write back <input name="text" maxlength="1600" required></label>
<button>Send</button></form>`;

const article = ({ id, kind, from, to, subject, text, html, receivedAt }: Message) => `
<article id="${id}"><h2>${kind === 'email' ? escapeHtml(subject || '(no subject)') : 'Text message'}</h2>
<p>${escapeHtml(from)} to ${escapeHtml(to.join(', '))}, <time>${receivedAt}</time></p>
<pre>${withLinks(text || html)}</pre>${kind === 'sms' ? WRITE_BACK(id) : ''}</article>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Splits before escaping, so that no part of a message reaches the page unescaped. */
const withLinks = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => (index % 2 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part)))
    .join('');
