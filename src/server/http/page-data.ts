import type { EXAMPLE } from '#contract/examples.ts';
import type { ConfigurationTokensView, MeView } from '#contract/settings.ts';
import { contextFor } from '../core/context.ts';
import { createCaller } from '../router.ts';
import { services } from './services.ts';
import { findStaff } from './staff-session.ts';

/** Returns a caller of the procedures for the staff user who opens a page; null without a session. */
async function findPageCaller(headers: Headers) {
  const pageServices = services();
  const staff = await findStaff(pageServices, new Request(pageServices.config.publicUrl, { headers }));
  return staff && createCaller(contextFor(pageServices, staff.actor));
}

/**
 * Returns the staff user who opens a portal page, or null without a session. For display only: each call authenticates
 * again.
 */
export async function getPageUser(headers: Headers): Promise<MeView | null> {
  const caller = await findPageCaller(headers);
  return caller ? caller.session.me() : null;
}

type SandboxExamples = {
  /** By the name of the placeholder in an example. */
  things: Partial<Record<keyof typeof EXAMPLE, string | number>>;
  places: {
    inbox_url?: string;
    client_id?: string;
    configuration?: ConfigurationTokensView;
    price_id?: string;
    trial_price_id?: string;
    appointment_type_id?: string;
  };
};

const ONE = { size: 1 };
const PLANS = { size: 100 };
/** The origin of an app in the guides; a sandbox accepts every page on the developer's machine. */
const WEBSITE = 'http://localhost:5173';

/**
 * Returns ids of a sandbox for the docs' examples, limited to what the signed-in staff user may see: each is read by
 * the procedure that shows it to them. Null without a session, and in production. Holds no secrets and no patient data,
 * so that opening a docs page adds no audit entry.
 */
export async function readSandboxExamples(headers: Headers): Promise<SandboxExamples | null> {
  const { environment, inboxUrl } = services().config;
  if (environment !== 'sandbox') return null;
  const caller = await findPageCaller(headers);
  if (!caller) return null;
  const { two_step_due, permissions } = await caller.session.me();
  if (two_step_due) return null;
  const isTechnical = permissions.includes('settings:manage');
  const [plans, types, calendars, practitioners, applications, configuration] = await Promise.all([
    orUndefined(caller.plans.list(PLANS)),
    orUndefined(caller.scheduling.listAppointmentTypes(ONE)),
    orUndefined(caller.scheduling.listCalendars(ONE)),
    orUndefined(caller.practitioners.list(ONE)),
    isTechnical ? orUndefined(caller.applications.list()) : undefined,
    isTechnical ? orUndefined(caller.applications.configurationTokens()) : undefined,
  ]);
  const [plain, trial] = [false, true].map((isTrial) =>
    plans?.items.find(({ trial_period_in_days: days }) => (days !== null) === isTrial),
  );
  const type = types?.items[0]?.id;
  const application = applications
    ?.filter(({ revoked_at }) => revoked_at === null)
    .reduce((mostScoped, candidate) => (scopeCount(candidate) > scopeCount(mostScoped) ? candidate : mostScoped));
  return {
    things: defined({
      priceId: plain?.id,
      appointmentTypeId: type,
      calendarId: calendars?.items[0]?.id,
      practitionerId: practitioners?.items[0]?.id,
      website: WEBSITE,
    }),
    places: defined({
      inbox_url: inboxUrl ?? undefined,
      client_id: application?.client_id,
      configuration,
      price_id: plain?.id,
      trial_price_id: trial?.id,
      appointment_type_id: type?.toString(),
    }),
  };
}

/** Most samples work with the application that has the most rights. */
const scopeCount = ({ scopes }: { scopes: string[] }) => (scopes.includes('admin') ? Infinity : scopes.length);

/** A provider that is not connected, or data without access, leaves the example's placeholder. */
const orUndefined = <Value>(request: Promise<Value>): Promise<Value | undefined> => request.catch(() => undefined);

const defined = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: NonNullable<Values[Name]>;
  };
