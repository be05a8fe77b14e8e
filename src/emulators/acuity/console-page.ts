import { type Html, html } from '../core/html.ts';
import type { Reply } from '../core/reply.ts';
import type { World } from '../core/world.ts';
import { BREAKS } from './breaks.ts';
import { bookingsPart } from './console-bookings.ts';
import { form, frame, navigation, section } from './console-frame.ts';
import { accountPart, calendarsPart, formsPart, typesPart } from './console-settings.ts';
import { blocksPart, faultsPart, webhooksPart } from './console-traffic.ts';
import type { Account, AcuityState } from './state.ts';

/** Lists the accounts; with a single account, renders its console. */
export function consoleIndex(world: World<AcuityState>): Reply {
  const accounts = Object.values(world.state.accounts);
  if (accounts.length === 1) return consolePage(accounts[0]!, world);
  const links = accounts.map(
    ({ userId, name }) => html`<li><div><a href="/console/${userId}">${name}, account ${userId}</a></div></li>`,
  );
  return frame('Scheduling console', accounts.length ? html`<ul>${links}</ul>` : html`<p>There is no account yet.</p>`);
}

/** Renders an account's console with every action of its owner. `problem` is shown at the top, with status 400. */
export function consolePage(account: Account, world: World<AcuityState>, problem?: string): Reply {
  const title = `${account.name}, account ${account.userId}`;
  const content = html`${problem ? html`<p class="alert" role="alert">${problem}</p>` : ''}
${navigation()}
${bookingsPart(account, world.clock.now())}${accountPart(account)}${calendarsPart(account)}${blocksPart(account)}
${typesPart(account)}${formsPart(account)}${webhooksPart(account, world)}${faultsPart(account, world)}${breakPart(account)}`;
  return frame(title, content, problem ? 400 : 200);
}

function breakPart(account: Account): Html {
  const rows = Object.entries(BREAKS).map(([code, { label }]) => {
    const isBroken = Object.hasOwn(account.broken, code);
    const action = isBroken ? `repair/${code}` : `break/${code}`;
    return html`<li><div>${label}${isBroken ? html` <strong>Broken</strong>` : ''}</div>
${form(account, action, html``, isBroken ? 'Repair' : 'Break', label)}</li>`;
  });
  return section(
    'break',
    html`<p class="quiet">Each of these is what Carelane needs. Its Integrations page tells what is broken here: at once by “Check now”, by itself within the hour; that webhooks get lost, only some time after the next change.</p><ul>${rows}</ul>`,
  );
}
