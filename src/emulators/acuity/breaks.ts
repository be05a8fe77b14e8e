import { randomBytes } from 'node:crypto';
import { BREAK_FORMS } from './break-forms.ts';
import { type Break, NothingToRepair, type Repair } from './break-shape.ts';
import type { Call } from './call.ts';
import { API_PLAN } from './plans.ts';
import type { Account, AppointmentType, Calendar } from './state.ts';
import { sendLost } from './webhook-traffic.ts';

const isOffered = ({ active, deleted, kind }: AppointmentType) => active && !deleted && kind === 'service';
const firstType = ({ types }: Account): AppointmentType => required(types.find(isOffered), 'There is no active type');
const lastCalendar = ({ calendars }: Account): Calendar => required(calendars.at(-1), 'There is no calendar');

export function required<T>(value: T | undefined | null, otherwise: string): T {
  if (value === undefined || value === null) throw new TypeError(otherwise);
  return value;
}

/**
 * Returns the object with this id when it has the fault, else the first object that has it.
 * @throws NothingToRepair
 */
function meant<T extends { id: number }>(all: T[], object: number | null, isFaulty: (one: T) => boolean): T {
  const found = all.find((one) => one.id === object && isFaulty(one)) ?? all.find(isFaulty);
  if (!found) throw new NothingToRepair();
  return found;
}

const noted = (kept: unknown, id: number): string | undefined =>
  (kept as { id: number; value: string } | undefined)?.id === id ? (kept as { value: string }).value : undefined;

const idOf = (kept: unknown): number | null => (kept as { id: number } | undefined)?.id ?? null;

/**
 * Changes the last calendar's email. The repair restores the former email, or sets one of a user without a calendar.
 */
function emailBreak(
  label: string,
  wrong: (account: Account, calendar: Calendar) => string,
  isFaulty: (calendar: Calendar) => boolean = () => true,
): Break {
  return {
    label,
    apply(account) {
      const calendar = lastCalendar(account);
      const { id, email: value } = calendar;
      calendar.email = wrong(account, calendar);
      return { id, value };
    },
    repair({ calendars }, { saved: kept, object, emails }) {
      const calendar = meant(calendars, object ?? idOf(kept), isFaulty);
      const others = calendars.filter((each) => each !== calendar).map(({ email }) => email);
      const free = emails.find((email) => !others.includes(email));
      calendar.email = required(
        noted(kept, calendar.id) ?? free,
        'Everybody who signs in has a calendar already: invite the practitioner first.',
      );
    },
  };
}

/** Breaks of an account's settings, keyed by the error code that the product's connection check reports. */
export const BREAKS: Record<string, Break> = {
  credentials_refused: {
    label: 'The API key is another one',
    apply(account) {
      const value = account.apiKey;
      account.apiKey = randomBytes(16).toString('hex');
      return { value };
    },
    repair(account, { saved: kept }) {
      const { value } = required(kept as { value: string } | undefined, 'The former key is unknown: give the new one.');
      account.apiKey = value;
    },
  },
  plan_without_api: {
    label: 'The plan does not include the API',
    apply(account) {
      account.plan = 'Growing';
    },
    repair(account) {
      account.plan = API_PLAN;
    },
  },
  no_appointment_types: {
    label: 'No appointment type is active',
    apply(account) {
      const value = account.types.filter(isOffered).map(({ id }) => id);
      for (const type of account.types) type.active = false;
      return { value };
    },
    repair(account, { saved: kept }) {
      const ids = (kept as { value: number[] } | undefined)?.value;
      for (const type of account.types) type.active ||= ids ? ids.includes(type.id) : !type.deleted;
    },
  },
  type_without_name: {
    label: 'A type has no name',
    apply(account) {
      const type = firstType(account);
      const value = type.name;
      type.name = '';
      return { id: type.id, value };
    },
    repair(account, { saved: kept, object }) {
      const type = meant(account.types, object, ({ name }) => name === '');
      type.name = noted(kept, type.id) ?? 'Visit';
    },
  },
  type_without_duration: {
    label: 'A type does not say how long it takes',
    apply(account) {
      const type = firstType(account);
      const value = String(type.duration);
      type.duration = 0;
      return { id: type.id, value };
    },
    repair(account, { saved: kept, object }) {
      const type = meant(account.types, object, ({ duration }) => duration === 0);
      type.duration = Number(noted(kept, type.id) ?? 30);
    },
  },
  no_calendars: {
    label: 'There is no calendar',
    apply(account) {
      const value = account.calendars;
      const types = account.types.map(({ id, calendarIDs }) => ({ id, calendarIDs }));
      account.calendars = [];
      for (const type of account.types) type.calendarIDs = [];
      return { value, types };
    },
    repair(account, { saved: kept }) {
      const { value, types } = required(
        kept as { value: Calendar[]; types: Pick<AppointmentType, 'id' | 'calendarIDs'>[] } | undefined,
        'Add a calendar by hand.',
      );
      account.calendars = value;
      for (const { id, calendarIDs } of types)
        Object.assign(account.types.find((type) => type.id === id) ?? {}, { calendarIDs });
    },
  },
  calendar_without_time_zone: {
    label: 'A calendar has no time zone',
    apply(account) {
      const calendar = lastCalendar(account);
      const value = calendar.timezone;
      calendar.timezone = '';
      return { id: calendar.id, value };
    },
    repair(account, { saved: kept, object }) {
      const calendar = meant(account.calendars, object, ({ timezone }) => timezone === '');
      calendar.timezone = noted(kept, calendar.id) ?? account.timezone;
    },
  },
  calendar_without_email: emailBreak(
    'A calendar has no e-mail',
    () => '',
    ({ email }) => email.trim() === '',
  ),
  calendar_email_unknown: emailBreak(
    'A calendar has an e-mail that belongs to no user',
    () => 'someone.else@elsewhere.example.test',
  ),
  calendars_share_email: emailBreak('Two calendars have one e-mail', ({ calendars }, calendar) => {
    const [first] = calendars;
    if (!first || first === calendar) throw new TypeError('There is one calendar only');
    return first.email;
  }),
  calendar_without_type: {
    label: 'No type is offered on a calendar',
    apply(account) {
      const { id } = lastCalendar(account);
      const types = account.types.filter(({ calendarIDs }) => calendarIDs.includes(id));
      for (const type of types) type.calendarIDs = type.calendarIDs.filter((each) => each !== id);
      return { id, types: types.map((type) => type.id) };
    },
    repair(account, { saved: kept, object }) {
      const isUsed = (id: number) => account.types.some((type) => isOffered(type) && type.calendarIDs.includes(id));
      const calendar = meant(account.calendars, object, ({ id }) => !isUsed(id));
      const former = kept as { id: number; types: number[] } | undefined;
      const types = former?.id === calendar.id ? former.types : account.types.map(({ id }) => id);
      for (const type of account.types) if (types.includes(type.id)) type.calendarIDs.push(calendar.id);
    },
  },
  ...BREAK_FORMS,
  webhook_not_registered: {
    label: 'There is no room for another webhook',
    apply(account, newId) {
      account.dynamicWebhooks = Array.from({ length: 25 }, () => ({
        id: newId(),
        event: 'order.completed',
        target: 'https://elsewhere.example.test/hook',
      }));
    },
    repair(account) {
      account.dynamicWebhooks = account.dynamicWebhooks.filter(({ target }) => !target.includes('elsewhere.example'));
    },
  },
  webhooks_silent: {
    label: 'Webhooks get lost',
    apply(account) {
      account.traffic.drop = { all: true };
    },
    repair(_account, { call }) {
      sendLost(call);
    },
  },
};

/**
 * Breaks an account's settings on purpose. Rejects a second break of the
 * same code: it would store the broken value as the original.
 * @throws TypeError
 */
export function applyBreak(call: Call, code: string): void {
  const found = required(BREAKS[code], `Nothing breaks as ${code}; there are: ${Object.keys(BREAKS).join(', ')}`);
  const { account, world } = call;
  if (Object.hasOwn(account.broken, code)) throw new TypeError('This is broken already. Repair it first.');
  account.broken[code] = found.apply(account, () => world.state.nextId++) ?? {};
}

/**
 * Repairs a break and clears its record; a fault that a person has repaired since only has its record cleared.
 * @throws TypeError when nothing is broken, or when only a person can repair it
 */
export function repairBreak(call: Call, code: string, given: Partial<Pick<Repair, 'object' | 'emails'>> = {}): void {
  const found = required(BREAKS[code], 'No button puts this right: do what is said beside it.');
  const { account, world } = call;
  const kept = account.broken[code];
  const { object = null, emails = [] } = given;
  try {
    found.repair(account, { saved: kept, object, emails, newId: () => world.state.nextId++, call });
  } catch (error) {
    if (!(error instanceof NothingToRepair) || kept === undefined) throw error;
  }
  delete account.broken[code];
}
