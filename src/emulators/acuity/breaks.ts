import { randomBytes } from 'node:crypto';
import type { Call } from './call.ts';
import { sendLost } from './notify.ts';
import { type Account, API_PLAN, type AppointmentType, type Calendar, type Field, type Form } from './state.ts';

const NAME = 'Location';
const isSimilarName = ({ name }: { name: string }) => name.trim().toLowerCase() === NAME.toLowerCase();

function requireFound<T>(value: T | undefined, message?: string): T {
  if (value === undefined) throw message === undefined ? new NothingToRepair() : new TypeError(message);
  return value;
}

/** Finds the form by id or by its name in any case, because a break may have changed the name's case. */
const formOf = ({ forms }: Account, object: number | null = null): Form =>
  requireFound(
    forms.find(({ id }) => id === object) ?? forms.find(({ name }) => name === NAME) ?? forms.find(isSimilarName),
    'There is no form named Location',
  );
const questionOf = (form: Form): Field =>
  requireFound(
    form.fields.find(({ name }) => name === NAME) ?? form.fields.find(isSimilarName),
    'The form has no question named Location',
  );
const newQuestion = (id: number): Field => ({ id, name: NAME, required: false, type: 'textbox', options: null });

/** Breaks of the forms that clients or staff fill in. */
const BREAK_FORMS: Record<string, Break> = {
  location_form_missing: {
    label: 'No form is named exactly Location',
    apply(account) {
      formOf(account).name = 'location';
    },
    repair(account, { object, newId }) {
      const form = account.forms.find(({ id }) => id === object) ?? account.forms.find(isSimilarName);
      if (form) form.name = NAME;
      else
        account.forms.push({
          id: newId(),
          name: NAME,
          description: 'Where the appointment takes place. Internal.',
          hidden: true,
          appointmentTypeIDs: account.types.map(({ id }) => id),
          fields: [newQuestion(newId())],
        });
    },
  },
  location_form_not_internal: {
    label: 'The form Location is shown to clients',
    apply(account) {
      formOf(account).hidden = false;
    },
    repair(account, { object }) {
      formOf(account, object).hidden = true;
    },
  },
  location_question_missing: {
    label: 'The form Location has no question Location',
    apply(account) {
      const form = formOf(account);
      form.fields = form.fields.filter((field) => !isSimilarName(field));
    },
    repair(account, { object, newId }) {
      const { fields } = formOf(account, object);
      if (fields.some(isSimilarName)) throw new NothingToRepair();
      fields.push(newQuestion(newId()));
    },
  },
  location_question_misnamed: {
    label: 'The question is not named exactly Location',
    apply(account) {
      questionOf(formOf(account)).name = 'location';
    },
    repair(account, { object }) {
      questionOf(formOf(account, object)).name = NAME;
    },
  },
  location_question_wrong_type: {
    label: 'The question does not accept text',
    apply(account) {
      questionOf(formOf(account)).type = 'checkbox';
    },
    repair(account, { object }) {
      questionOf(formOf(account, object)).type = 'textbox';
    },
  },
  location_form_not_attached: {
    label: 'The form is not attached to a type',
    apply(account) {
      const form = formOf(account);
      form.appointmentTypeIDs = form.appointmentTypeIDs.slice(1);
    },
    repair(account, { object }) {
      const form = formOf(account);
      const missing = account.types.map(({ id }) => id).filter((id) => !form.appointmentTypeIDs.includes(id));
      const id = object !== null && missing.includes(object) ? object : missing[0];
      form.appointmentTypeIDs = [...form.appointmentTypeIDs, requireFound(id)].sort();
    },
  },
  form_with_required_question: {
    label: 'Another form has a required question',
    apply(account, newId) {
      account.forms.push({
        id: newId(),
        name: 'Intake',
        description: '',
        hidden: false,
        appointmentTypeIDs: account.types.slice(0, 1).map(({ id }) => id),
        fields: [{ id: newId(), name: 'Reason for the appointment', required: true, type: 'textarea', options: null }],
      });
    },
    repair(account, { object }) {
      const hasRequiredQuestion = (form: Form) => !form.hidden && form.fields.some(({ required }) => required);
      const form = account.forms.find(({ id }) => id === object) ?? account.forms.find(hasRequiredQuestion);
      for (const field of requireFound(form).fields) field.required = false;
    },
  },
};

/** Input of a repair: the data that the break returned, the id of the object to repair, and emails of users. */
interface Repair {
  saved: unknown;
  object: number | null;
  emails: string[];
  newId(): number;
  call: Pick<Call, 'account' | 'world'>;
}

export interface Break {
  label: string;
  /** Applies the break. The result is stored for the repair. */
  apply(account: Account, newId: () => number): unknown;
  /**
   * Repairs the fault, including one that no break caused.
   * @throws TypeError when it cannot be repaired automatically
   */
  repair(account: Account, repair: Repair): void;
}

export class NothingToRepair extends TypeError {
  constructor() {
    super('There is nothing to repair.');
  }
}

const isOffered = ({ active, deleted, kind }: AppointmentType) => active && !deleted && kind === 'service';
const firstType = ({ types }: Account): AppointmentType => required(types.find(isOffered), 'There is no active type');
const lastCalendar = ({ calendars }: Account): Calendar => required(calendars.at(-1), 'There is no calendar');

export function required<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new TypeError(message);
  return value;
}

/**
 * Returns the object with this id when it has the fault, else the first object that has it.
 * @throws NothingToRepair
 */
function findFaulty<T extends { id: number }>(all: T[], object: number | null, isFaulty: (candidate: T) => boolean): T {
  const faulty = all.find((candidate) => candidate.id === object && isFaulty(candidate)) ?? all.find(isFaulty);
  if (!faulty) throw new NothingToRepair();
  return faulty;
}

const savedValue = (saved: unknown, id: number): string | undefined =>
  (saved as { id: number; value: string } | undefined)?.id === id ? (saved as { value: string }).value : undefined;

const idOf = (saved: unknown): number | null => (saved as { id: number } | undefined)?.id ?? null;

/**
 * Changes the last calendar's email. The repair restores the former email, or sets one of a user without a calendar.
 */
function emailBreak(
  label: string,
  invalidEmail: (account: Account, calendar: Calendar) => string,
  isFaulty: (calendar: Calendar) => boolean = () => true,
): Break {
  return {
    label,
    apply(account) {
      const calendar = lastCalendar(account);
      const { id, email: value } = calendar;
      calendar.email = invalidEmail(account, calendar);
      return { id, value };
    },
    repair({ calendars }, { saved, object, emails }) {
      const calendar = findFaulty(calendars, object ?? idOf(saved), isFaulty);
      const otherEmails = calendars.filter((each) => each !== calendar).map(({ email }) => email);
      const unusedEmail = emails.find((email) => !otherEmails.includes(email));
      calendar.email = required(
        savedValue(saved, calendar.id) ?? unusedEmail,
        'Every practitioner who signs in has a calendar already: invite the practitioner first.',
      );
    },
  };
}

/** Breaks of an account's settings, keyed by the error code that the product's connection check reports. */
export const BREAKS: Record<string, Break> = {
  credentials_refused: {
    label: 'The API key was changed',
    apply(account) {
      const value = account.apiKey;
      account.apiKey = randomBytes(16).toString('hex');
      return { value };
    },
    repair(account, { saved }) {
      const { value } = required(
        saved as { value: string } | undefined,
        'The previous key is unknown: enter the new one.',
      );
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
    repair(account, { saved }) {
      const ids = (saved as { value: number[] } | undefined)?.value;
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
    repair(account, { saved, object }) {
      const type = findFaulty(account.types, object, ({ name }) => name === '');
      type.name = savedValue(saved, type.id) ?? 'Appointment';
    },
  },
  type_without_duration: {
    label: 'A type has no duration',
    apply(account) {
      const type = firstType(account);
      const value = String(type.duration);
      type.duration = 0;
      return { id: type.id, value };
    },
    repair(account, { saved, object }) {
      const type = findFaulty(account.types, object, ({ duration }) => duration === 0);
      type.duration = Number(savedValue(saved, type.id) ?? 30);
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
    repair(account, { saved }) {
      const { value, types } = required(
        saved as { value: Calendar[]; types: Pick<AppointmentType, 'id' | 'calendarIDs'>[] } | undefined,
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
    repair(account, { saved, object }) {
      const calendar = findFaulty(account.calendars, object, ({ timezone }) => timezone === '');
      calendar.timezone = savedValue(saved, calendar.id) ?? account.timezone;
    },
  },
  calendar_without_email: emailBreak(
    'A calendar has no email',
    () => '',
    ({ email }) => email.trim() === '',
  ),
  calendar_email_unknown: emailBreak(
    'The email of a calendar belongs to no user',
    () => 'someone.else@elsewhere.example.test',
  ),
  calendars_share_email: emailBreak('Two calendars have the same email', ({ calendars }, calendar) => {
    const [first] = calendars;
    if (!first || first === calendar) throw new TypeError('There is only one calendar');
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
    repair(account, { saved, object }) {
      const isUsed = (id: number) => account.types.some((type) => isOffered(type) && type.calendarIDs.includes(id));
      const calendar = findFaulty(account.calendars, object, ({ id }) => !isUsed(id));
      const former = saved as { id: number; types: number[] } | undefined;
      const types = former?.id === calendar.id ? former.types : account.types.map(({ id }) => id);
      for (const type of account.types) if (types.includes(type.id)) type.calendarIDs.push(calendar.id);
    },
  },
  ...BREAK_FORMS,
  webhook_not_registered: {
    label: 'The limit of webhooks is reached',
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
    label: 'Webhooks are dropped',
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
  const definition = required(BREAKS[code], `Nothing breaks as ${code}; there are: ${Object.keys(BREAKS).join(', ')}`);
  const { account, world } = call;
  if (Object.hasOwn(account.broken, code)) throw new TypeError('This is broken already. Repair it first.');
  account.broken[code] = definition.apply(account, () => world.state.nextId++) ?? {};
}

/**
 * Repairs a break and clears its record; a fault that an operator has repaired since only has its record cleared.
 * @throws TypeError when nothing is broken, or when only a person can repair it
 */
export function repairBreak(call: Call, code: string, input: Partial<Pick<Repair, 'object' | 'emails'>> = {}): void {
  const definition = required(BREAKS[code], 'No button repairs this: follow the instructions next to it.');
  const { account, world } = call;
  const saved = account.broken[code];
  const { object = null, emails = [] } = input;
  try {
    definition.repair(account, { saved, object, emails, newId: () => world.state.nextId++, call });
  } catch (error) {
    if (!(error instanceof NothingToRepair) || saved === undefined) throw error;
  }
  delete account.broken[code];
}
