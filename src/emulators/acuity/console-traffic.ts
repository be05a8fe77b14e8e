import { type Html, html } from '../core/html.ts';
import type { World } from '../core/world.ts';
import { zoneOf } from './console-bookings.ts';
import { choice, form, input, section } from './console-frame.ts';
import type { Account, AcuityState, Block, WebhookTraffic } from './state.ts';
import { formatLongDate, formatWallClock } from './zone.ts';

const MOST_DELIVERIES = 20;

export function blocksPart(account: Account): Html {
  const rows = account.blocks.map(
    (block) => html`<li><div>${blockWords(account, block)}</div>
${form(account, `blocks/${block.id}/remove`, html``, 'Remove', blockWords(account, block))}</li>`,
  );
  const calendars = account.calendars.map(({ id, name }) => ({ value: id, label: name }));
  const repeats = [
    { value: '', label: 'Once' },
    { value: 'daily', label: 'Every day' },
    { value: 'weekly', label: 'Every week' },
  ];
  return section(
    'blocks',
    html`${rows.length ? html`<ul>${rows}</ul>` : html`<p>No time is blocked.</p>`}
<h3>Block time</h3>${form(
      account,
      'blocks',
      html`${choice('Calendar', 'calendarID', calendars)}
${input('From, calendar’s time', 'start', '', { type: 'datetime-local', required: true })}
${input('Until', 'end', '', { type: 'datetime-local', required: true })}${input('Notes', 'notes')}
${choice('Comes', 'recurring', repeats)}${input('Last day, if it repeats', 'until', '', { type: 'date' })}`,
      'Block',
    )}`,
  );
}

function blockWords(account: Account, { calendarId, startAt, endAt, notes, recurring, until }: Block): string {
  const zone = zoneOf(account, calendarId);
  const name = account.calendars.find(({ id }) => id === calendarId)?.name ?? 'a calendar that is gone';
  const say = (at: number) => `${formatLongDate(at, zone)}, ${formatWallClock(at, zone)}`;
  const again = recurring ? `, ${recurring}${until ? ` until ${until}` : ''}` : '';
  return `${name}: ${say(startAt)} to ${say(endAt)}${again}${notes ? ` · ${notes}` : ''}`;
}

function trafficWords({ drop, delayMs }: WebhookTraffic): string {
  const late = delayMs > 0 ? ` Each is sent ${delayMs / 1000} s late.` : '';
  if (!drop) return `Webhooks are sent as they come.${late}`;
  if ('all' in drop) return 'All webhooks get lost.';
  if ('share' in drop) return `A share of ${drop.share} of the webhooks gets lost.${late}`;
  return `${drop.next === 1 ? 'The next webhook gets' : `The next ${drop.next} webhooks get`} lost.${late}`;
}

export function webhooksPart(account: Account, { webhooks }: World<AcuityState>): Html {
  const hooks = [
    ...account.dynamicWebhooks.map(
      ({ id, event, target }) =>
        html`<li><div>${event} to ${target}</div>${form(account, `webhooks/${id}/remove`, html``, 'Remove', target)}</li>`,
    ),
    ...account.staticWebhooks.map(({ url, event }) => html`<li><div>${event ?? 'everything'} to ${url}</div></li>`),
  ];
  const sent = webhooks
    .log()
    .filter(({ keyId }) => keyId === account.userId)
    .slice(-MOST_DELIVERIES)
    .reverse()
    .map((delivery) => {
      const last = delivery.attempts.at(-1);
      const outcome = last ? (last.status ?? last.error ?? '') : 'not tried yet';
      const about = `${delivery.event}, appointment ${new URLSearchParams(delivery.body).get('id')}`;
      return html`<li><div>${about} · ${delivery.status} <span class="quiet">(${outcome})</span></div>
${form(account, `deliveries/${delivery.id}/resend`, html``, 'Send again', about)}</li>`;
    });
  const { traffic } = account;
  const loss = [
    { value: 'none', label: 'Nothing gets lost' },
    { value: 'all', label: 'All get lost' },
    { value: 'next', label: 'The next one gets lost' },
    { value: 'tenth', label: 'One in ten gets lost' },
  ];
  const chosen = !traffic.drop ? 'none' : 'all' in traffic.drop ? 'all' : 'next' in traffic.drop ? 'next' : 'tenth';
  return section(
    'webhooks',
    html`${hooks.length ? html`<ul>${hooks}</ul>` : html`<p>No webhook is registered.</p>`}
<p>${trafficWords(traffic)}</p>
${form(
  account,
  'traffic',
  html`${choice('Loss', 'drop', loss, chosen)}${input('Seconds late', 'delay', traffic.delayMs / 1000, { type: 'number', min: 0 })}`,
  'Save',
)}
${traffic.lost.length ? html`<p>${traffic.lost.length} were lost.</p>${form(account, 'lost', html``, 'Send what was lost')}` : ''}
<h3>The last that were sent</h3>${sent.length ? html`<ul>${sent}</ul>` : html`<p>None was sent.</p>`}`,
  );
}

const CALLS = [
  ['', 'Every request'],
  ['GET /api/v1/availability/times', 'Reading free times'],
  ['GET /api/v1/appointment-types', 'Reading appointment types'],
  ['GET /api/v1/calendars', 'Reading calendars'],
  ['GET /api/v1/forms', 'Reading forms'],
  ['GET /api/v1/blocks', 'Reading blocked time'],
  ['POST /api/v1/availability/check-times', 'Checking a time'],
  ['GET /api/v1/me', 'Reading the account'],
  ['GET /api/v1/webhooks', 'Listing webhooks'],
  ['POST /api/v1/webhooks', 'Registering a webhook'],
  ['DELETE /api/v1/webhooks/:id', 'Removing a webhook'],
  ['GET /api/v1/appointments', 'Listing appointments'],
  ['GET /api/v1/appointments/:id', 'Reading an appointment'],
  ['POST /api/v1/appointments', 'Booking'],
  ['PUT /api/v1/appointments/:id/reschedule', 'Moving'],
  ['PUT /api/v1/appointments/:id/cancel', 'Canceling'],
] as const;
const KINDS = [
  ['503', 'Answers that it is down'],
  ['500', 'Answers that it failed'],
  ['429', 'Answers that there are too many requests'],
  ['timeout_before', 'Never answers, and does nothing'],
  ['timeout_after', 'Never answers, but does it'],
  ['reset_before', 'Hangs up, and does nothing'],
  ['reset_after', 'Hangs up, but does it'],
  ['slow_drip', 'Answers very slowly'],
  ['truncated', 'Stops in the middle of its answer'],
  ['wrong_schema', 'Answers something else'],
] as const;
const asOptions = (all: readonly (readonly [string, string])[]) => all.map(([value, label]) => ({ value, label }));

/** Faults apply to all accounts of the emulator. */
export function faultsPart(account: Account, { faults }: World<AcuityState>): Html {
  const list = faults.list();
  const rows = list.map(({ kind, match, times }) => {
    const where = CALLS.find(([call]) => call === `${match.method ?? ''} ${match.path ?? ''}`.trim());
    return html`<li><div>${KINDS.find(([id]) => id === kind)?.[1] ?? kind}: ${where?.[1] ?? match.path ?? 'Every request'}, ${times} more times</div></li>`;
  });
  return section(
    'faults',
    html`${rows.length ? html`<ul>${rows}</ul>${form(account, 'faults/clear', html``, 'End all faults')}` : html`<p>Everything answers as it should.</p>`}
${form(
  account,
  'faults',
  html`${choice('What goes wrong', 'kind', asOptions(KINDS))}${choice('At', 'call', asOptions(CALLS))}
${input('So many times', 'times', 1, { type: 'number', min: 1 })}`,
  'Plant',
)}`,
  );
}
