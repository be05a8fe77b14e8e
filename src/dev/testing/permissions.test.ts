import { describe, expect, test } from 'vitest';
import { type Permission, permissionsOf, ROLES } from '#contract/roles.ts';
import { actorOfStaff, type StaffActor } from '#server/core/actor.ts';
import { systemClock } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { procedures } from '#server/router.ts';

/** The permission of every procedure that staff may call. */
const PROCEDURES: Partial<Record<Permission, string>> = {
  'patients:read': 'patients.list patients.get patients.care patientSignIn.get messageChoices.get',
  'patients:write': `patients.create patients.findDuplicates patients.update patients.archive patients.unarchive invitations.create
    invitations.invite invitations.resend patientSignIn.endSession patientSignIn.endSessions patientSignIn.help
    patientSignIn.askEmailChange patientSignIn.withdrawEmailChange messageChoices.note inbox.list inbox.reply`,
  'patients:merge': 'patients.previewMerge patients.merge',
  'charts:read': 'timeline.list',
  'notes:read': 'notes.show notes.search notes.listVersions notes.getOfAppointment',
  'notes:write': 'notes.create notes.update notes.saveDraft notes.setOfAppointment',
  'appointments:read': `appointments.list appointments.get appointments.show appointments.showCalendar
    scheduling.listAppointmentTypes scheduling.listCalendars scheduling.listAvailability scheduling.nextAvailability
    scheduling.explainAvailability scheduling.showTimeOff practitioners.list practitioners.get practitioners.careTeam
    visits.waiting visits.showCall visits.attendance appointments.flags appointmentMessages.list calendarFeed.get calendarFeed.make
    calendarFeed.end dailyList.get dailyList.set`,
  'appointments:write': `appointments.book appointments.cancel appointments.markNoShow appointments.reschedule
    appointments.checkIn appointments.complete appointments.unmark visits.newLink clinic.listCancelReasons
    appointmentMessages.sendAgain appointmentMessages.skip appointmentMessages.preview`,
  'visits:host': 'visits.enterAsStaff visits.admit visits.endCall',
  'subscriptions:read': `plans.list plans.get plans.listAll plans.countSubscriptions plans.promotionCode plans.listPromotionCodes subscriptions.list subscriptions.get
    subscriptions.preview subscriptions.listCheckoutLinks payments.list payments.get cards.list cards.listSetups`,
  'subscriptions:write': `subscriptions.create subscriptions.update subscriptions.createCheckoutLink
    subscriptions.sendCheckoutLinks subscriptions.createCheckoutSession
    cards.setDefault cards.remove cards.startSetup`,
  'subscriptions:cancel': 'subscriptions.cancel subscriptions.createManageLink',
  'plans:write': `plans.create plans.update plans.changePrice plans.archive plans.unarchive plans.createPromotionCode
    plans.archivePromotionCode plans.unarchivePromotionCode`,
  'payments:refund': 'payments.refund',
  'tasks:read': 'tasks.list tasks.show tasks.get tasks.assignees',
  'tasks:write': 'tasks.create tasks.update',
  'unmatched:write': `appointments.listUnmatched appointments.attachUnmatched appointments.createPatientOf
    appointments.ignoreUnmatched appointments.restoreUnmatched`,
  'audit:read': 'audit.list audit.forPatient audit.chain audit.check',
  'team:manage': `team.list team.invite team.resend team.withdraw team.changeRole team.disable team.enable
    team.resetTwoStep team.practitionerOptions team.setPractitionerOption`,
  'settings:manage': `clinic.get clinic.update clinic.setLogo clinic.removeLogo clinic.setCancelReasons invitations.turn visits.getCheck
    visits.setCheck messageSettings.get messageSettings.update messageSettings.preview messageSettings.test
    mailDomain.check events.list events.latest events.get webhooks.list webhooks.create webhooks.get webhooks.update
    webhooks.delete webhooks.listDeliveries webhooks.replayOne webhooks.replay webhooks.test webhooks.rollSecret
    webhooks.health webhooks.ofEvent webhooks.delivery integrations.getStripe integrations.connectStripe
    integrations.updateStripe integrations.disconnectStripe integrations.stripeOnboarding integrations.getAcuity
    integrations.connectAcuity integrations.updateAcuity integrations.disconnectAcuity integrations.repairAcuity
    integrations.check subscriptions.listUnknown subscriptions.attach subscriptions.leaveAlone applications.list applications.create applications.update applications.rotateSecret
    applications.revokeSecret applications.giveSampleToken applications.revoke applications.allowedOrigins
    applications.setAllowedOrigins applications.appAddresses applications.setAppAddresses
    applications.configurationTokens system.failedJobs system.retryJob system.videoServers system.checkVideo`,
};

/** Every staff user: their own session and account, and the state of the providers, which shows admins more. */
const OF_EVERYBODY = new Set(
  `session.me account.get account.startTwoStep account.confirmTwoStep account.signOutEverywhere account.rename
  account.changePassword account.renewRecoveryCodes account.turnOffTwoStep integrations.list`.split(/\s+/),
);
/** Patients, and pages behind a link, whose token is the only credential. */
const NOT_OF_STAFF =
  /^((addressChanges|staffLinks|checkout|manage)\.\w+|patients\.me|invitations\.open|messageChoices\.(open|change|unsubscribe)|visits\.(open|openTest|tryLine|reportTest|enter|signLink)|calendarFeed\.open|clinic\.open)$/;

const NEEDED = Object.entries(PROCEDURES).flatMap(([permission, names]) =>
  names.split(/\s+/).map((name) => [name, permission as Permission] as const),
);

/** Stands for everything behind the check, which is reached but not run. */
class Reached extends Error {}

/** A context that can be asked for its actor only: using anything else means that the check has passed. */
const contextOf = (actor: StaffActor): Context =>
  new Proxy({ actor, tenantId: NO_TENANT, clock: systemClock, config: { environment: 'sandbox' } } as object, {
    get(target, name) {
      if (name in target) return target[name as keyof typeof target];
      throw new Reached();
    },
  }) as Context;

async function outcomeOf(name: string, actor: StaffActor): Promise<'forbidden' | 'allowed'> {
  try {
    await procedures[name]!._def.resolver({ ctx: contextOf(actor), input: { event_types: [] } });
  } catch (error) {
    if (error instanceof CarelaneError && error.code === 'forbidden') return 'forbidden';
  }
  return 'allowed';
}

const user = { tenantId: NO_TENANT, userId: NO_TENANT };

test('every procedure needs a permission, or is for every staff user, or for none', () => {
  const named = [...NEEDED.map(([name]) => name), ...OF_EVERYBODY];
  const others = Object.keys(procedures).filter((name) => NOT_OF_STAFF.test(name));
  expect([...named, ...others].sort()).toEqual(Object.keys(procedures).sort());
});

describe('a procedure asks for its permission before anything else', () => {
  test.each(NEEDED)('%s: %s', async (name, permission) => {
    const asked: Permission[] = [];
    const permissions = new Set<Permission>();
    permissions.has = (one) => asked.push(one) === 0;
    expect(await outcomeOf(name, { ...actorOfStaff({ role: 'admin', ...user }), permissions })).toBe('forbidden');
    expect(asked).toEqual([permission]);
  });
});

describe.each(ROLES)('%s', (role) => {
  test.each([{ options: [] }, { options: ['payments:refund', 'subscriptions:cancel'] }])(
    'is let in where the table says so, with $options for practitioners',
    async ({ options }) => {
      const held = permissionsOf(role, options);
      const actor = actorOfStaff({ role, ...user }, options);
      const expected = NEEDED.map(([name, permission]) => [name, held.includes(permission) ? 'allowed' : 'forbidden']);
      const seen: string[][] = [];
      for (const [name] of NEEDED) seen.push([name, await outcomeOf(name, actor)]);
      expect(seen).toEqual(expected);
    },
  );
});
