import { type AccountInput, WEEKDAYS, WeeklyHoursInput } from './account-input.ts';
import { type Account, type AcuityState, API_PLAN, type Limits } from './state.ts';

type Clinic = Pick<
  Account,
  'name' | 'email' | 'timezone' | 'types' | 'calendars' | 'forms' | 'labels' | 'addons' | 'products' | 'coupons'
>;

const WEEKDAYS_9_TO_5 = WeeklyHoursInput.parse({
  monday: ['09:00-12:00', '13:00-17:00'],
  tuesday: ['09:00-12:00', '13:00-17:00'],
  wednesday: ['09:00-12:00', '13:00-17:00'],
  thursday: ['09:00-12:00', '13:00-17:00'],
  friday: ['09:00-12:00', '13:00-17:00'],
});

const EVERY_DAY = WeeklyHoursInput.parse({
  monday: ['08:00-12:00', '14:00-18:00'],
  tuesday: ['08:00-12:00', '14:00-18:00'],
  wednesday: ['08:00-12:00', '14:00-18:00'],
  thursday: ['08:00-12:00', '14:00-18:00'],
  friday: ['08:00-12:00', '14:00-18:00'],
  saturday: ['10:00-16:00'],
  sunday: ['10:00-16:00'],
});

/**
 * Builds a small fictional clinic: three practitioners, one in another time zone and one who works at weekends, so that
 * every day has free slots. `withWalkIn` adds a type without the `Location` form, which is a misconfiguration.
 */
function riverbendClinic(newId: () => number, withWalkIn = false): Clinic {
  const calendar = (name: string, timezone: string, hours: Account['calendars'][number]['hours']) => ({
    id: newId(),
    name: `${name} Example`,
    email: `${name.toLowerCase()}.example@riverbend.example.test`,
    description: '',
    location: '',
    timezone,
    hours,
    image: '',
    subCalendarID: null,
  });
  const calendars = [
    calendar('Rowan', 'America/New_York', WEEKDAYS_9_TO_5),
    calendar('Juniper', 'America/New_York', EVERY_DAY),
    calendar('Alder', 'America/Chicago', WEEKDAYS_9_TO_5),
  ];

  const type = (name: string, duration: number, price: string, paddingAfter: number, color: string) => ({
    id: newId(),
    name,
    active: true,
    deleted: false,
    description: '',
    duration,
    price,
    category: 'Appointments',
    color,
    private: false,
    paddingBefore: 0,
    paddingAfter,
    calendarIDs: calendars.map(({ id }) => id),
    addonIDs: [],
    kind: 'service' as const,
    classSize: null,
    image: '',
  });
  const mapped = [
    type('Initial consultation', 50, '120.00', 10, '#2F6F73'),
    type('Follow-up visit', 25, '60.00', 0, '#8A6FB0'),
    type('Medication review', 15, '40.00', 0, '#C27C3E'),
  ];

  return {
    name: 'Riverbend Clinic',
    email: 'front-desk@riverbend.example.test',
    timezone: 'America/New_York',
    calendars,
    types: withWalkIn ? [...mapped, type('Walk-in screening', 20, '0.00', 0, '#777777')] : mapped,
    forms: [
      {
        id: newId(),
        name: 'Location',
        description: 'Where the appointment takes place. Internal.',
        hidden: true,
        appointmentTypeIDs: mapped.map(({ id }) => id),
        fields: [{ id: newId(), name: 'Location', required: false, type: 'textbox', options: null }],
      },
    ],
    labels: [{ id: newId(), name: 'Confirmed', color: 'green' }],
    addons: [],
    products: [
      {
        id: newId(),
        name: 'Five follow-up visits',
        description: 'To be used within a year.',
        price: '250.00',
        hidden: false,
        deleted: false,
        appointmentTypeIDs: [mapped[1]!.id],
        counts: 5,
        minutes: null,
        expiresInDays: 365,
      },
    ],
    coupons: [{ id: newId(), name: 'Welcome', appointmentTypeIDs: mapped.map(({ id }) => id), uses: 1 }],
  };
}

const DEFAULT_LIMITS: Limits = {
  interval: 30,
  minHoursInAdvance: 1,
  maxDaysInAdvance: 180,
  clientsMayCancel: true,
  clientsMayReschedule: true,
  minHoursToChange: 0,
};

const DEFAULT_HOURS = WeeklyHoursInput.parse(Object.fromEntries(WEEKDAYS.map((day) => [day, ['09:00-17:00']])));

const blank = (): Omit<
  Account,
  Exclude<keyof ReturnType<typeof riverbendClinic>, 'products' | 'coupons'> | 'userId' | 'apiKey'
> => ({
  plan: API_PLAN,
  limits: DEFAULT_LIMITS,
  classes: [],
  products: [],
  coupons: [],
  certificates: [],
  orders: [],
  appointments: [],
  blocks: [],
  clients: [],
  dynamicWebhooks: [],
  staticWebhooks: [],
  traffic: { drop: null, delayMs: 0, lost: [] },
  broken: {},
  emails: [],
});

/** Adds collections that are missing because the account was stored by an earlier version. */
export const completeAccount = (stored: Account): Account => Object.assign(stored, { ...blank(), ...stored });

/** Replaces the account, without appointments; the fictional clinic provides what the input omits. */
export function putAccount(state: AcuityState, userId: string, input: AccountInput & { apiKey: string }): Account {
  const clinic = riverbendClinic(() => state.nextId++, input.clinic === 'riverbend-with-walk-in');
  const account: Account = {
    ...blank(),
    ...clinic,
    userId,
    apiKey: input.apiKey,
  };
  // Attaches the clinic's Location form to the given types too, so that they are bookable without further setup.
  const forms = input.types && clinic.forms.map((form) => ({ ...form, appointmentTypeIDs: undefined }));
  changeAccount(account, { ...input, forms: input.forms ?? forms });
  state.accounts[userId] = account;
  return account;
}

/** Replaces the given parts and keeps the appointments, as a change in the account's own settings does. */
export function changeAccount(account: Account, input: AccountInput): Account {
  const { apiKey, name, email, timezone, plan, limits, labels, addons } = input;
  const { classes, products, coupons, orders } = input;
  Object.assign(account, defined({ apiKey, name, email, timezone, plan, labels, addons }));
  Object.assign(account, defined({ classes, products, coupons, orders }));
  account.limits = { ...account.limits, ...defined(limits ?? {}) };
  if (input.calendars) {
    account.calendars = input.calendars.map((calendar) => ({
      ...calendar,
      timezone: calendar.timezone ?? account.timezone,
      hours: account.calendars.find(({ id }) => id === calendar.id)?.hours ?? DEFAULT_HOURS,
    }));
    const all = account.calendars.map(({ id }) => id);
    if (!input.types) account.types = account.types.map((type) => ({ ...type, calendarIDs: all }));
  }
  if (input.types) {
    const all = account.calendars.map(({ id }) => id);
    account.types = input.types.map((type) => ({ ...type, calendarIDs: type.calendarIDs ?? all }));
    const typeIds = new Set(account.types.map(({ id }) => id));
    for (const item of [...account.forms, ...account.products, ...account.coupons])
      item.appointmentTypeIDs = item.appointmentTypeIDs.filter((id) => typeIds.has(id));
    account.classes = account.classes.filter(({ typeId }) => typeIds.has(typeId));
  }
  if (input.forms) {
    const all = account.types.map(({ id }) => id);
    account.forms = input.forms.map((form) => ({ ...form, appointmentTypeIDs: form.appointmentTypeIDs ?? all }));
  }
  for (const [id, hours] of Object.entries(input.hours ?? {})) {
    const calendar = account.calendars.find((each) => each.id === Number(id));
    if (!calendar) throw new TypeError(`hours: there is no calendar ${id}`);
    calendar.hours = hours;
  }
  if (input.webhooks) {
    account.staticWebhooks = input.webhooks.map(({ url, event }) => (event ? { url, event } : { url }));
  }
  checkReferences(account);
  return account;
}

function checkReferences({ types, calendars, forms, addons, classes, products, coupons }: Account): void {
  const check = (what: string, ids: number[], existing: { id: number }[]) => {
    const missing = ids.find((id) => !existing.some((each) => each.id === id));
    if (missing !== undefined) throw new TypeError(`${what}: there is no ${missing}`);
  };
  for (const type of types) {
    check(`calendarIDs of type ${type.id}`, type.calendarIDs, calendars);
    check(`addonIDs of type ${type.id}`, type.addonIDs, addons);
  }
  for (const time of classes) {
    check(`typeId of class ${time.id}`, [time.typeId], types);
    check(`calendarId of class ${time.id}`, [time.calendarId], calendars);
  }
  for (const item of [...products, ...coupons])
    check(`appointmentTypeIDs of ${item.name}`, item.appointmentTypeIDs, types);
  for (const form of forms) check(`appointmentTypeIDs of form ${form.id}`, form.appointmentTypeIDs, types);
}

const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
