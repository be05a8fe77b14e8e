import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CareTeamView } from '#contract/practitioners.ts';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, errorOf, FOLLOW_UP, JUNIPER, LONG_APPOINTMENT, ROWAN } from '#dev/testing/scheduling.ts';
import { newId } from '#server/core/ids.ts';
import { disconnectAcuity } from '#server/integrations/router.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { getPractitioner } from './get-practitioner.ts';
import { listPractitioners } from './list-practitioners.ts';
import { showCareTeam } from './show-care-team.ts';

let clinic: Booking;
let rowan: string;
let willow: string;
let hazel: string;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
  rowan = await member('Rowan Example', 'rowan@clinic.example.test');
  willow = await member('Willow Example', 'willow@clinic.example.test');
  hazel = await member('Hazel Example', 'hazel@clinic.example.test', 'admin');
});
afterAll(() => clinic.stop());
beforeEach(() => reloadCatalogue());

async function member(name: string, email: string, role = 'practitioner'): Promise<string> {
  const id = newId();
  await clinic.ctx.db.staffUser.create({ data: { id, tenantId: clinic.tenant.id, name, email, role } });
  return id;
}
const sign = (id: string, email: string) => clinic.ctx.db.staffUser.updateMany({ where: { id }, data: { email } });
/** Reads Acuity's catalogue again and matches it to the current staff users. */
const reloadCatalogue = () => getCatalogue(clinic.ctx, 0);
const nurse = () => asPractitioner(clinic.services, clinic.tenant);
const namesOf = async (
  filters: { field: string; operator: 'eq' | 'matches' | 'in' | 'gt' | 'not_eq'; value: never }[],
) => (await listPractitioners(clinic.app(), { filters })).items.map(({ name }) => name);
async function book(calendar_id: number) {
  const [slot] = await clinic.free(clinic.nextDay(), calendar_id);
  return bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id }));
}

describe('practitioners', () => {
  test('are the staff users who see patients, by name, with their calendars and appointment types', async () => {
    const { items } = await listPractitioners(clinic.app(), {});
    expect(items.map(({ name }) => name)).toEqual(['Rowan Example', 'Willow Example']);
    expect(items[0]).toEqual({
      id: rowan,
      name: 'Rowan Example',
      email: 'rowan@clinic.example.test',
      active: true,
      time_zone: 'America/New_York',
      calendars: [{ id: ROWAN, name: 'Rowan Example', time_zone: 'America/New_York' }],
      appointment_types: [
        { id: FOLLOW_UP, name: 'Follow-up visit' },
        { id: LONG_APPOINTMENT, name: 'Long visit' },
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(items[1]).toMatchObject({ id: willow, calendars: [], appointment_types: [] });
    expect(await getPractitioner(clinic.app(), { id: rowan })).toEqual(items[0]);
  });

  test.each(['front_desk', 'billing', 'read_only'])(
    'are never %s, even with the address of a calendar',
    async (role) => {
      const setRole = (to: string) => clinic.ctx.db.staffUser.updateMany({ where: { id: rowan }, data: { role: to } });
      await setRole(role);
      await reloadCatalogue();
      expect(await namesOf([])).toEqual(['Willow Example']);
      const { practitioners, unmatched } = await showCareTeam(nurse());
      expect(practitioners.map(({ id }) => id)).toEqual([willow]);
      expect(unmatched.map(({ id }) => id)).toContain(ROWAN);
      await setRole('admin');
      await reloadCatalogue();
      expect(await namesOf([])).toEqual(['Rowan Example', 'Willow Example']);
      await setRole('practitioner');
    },
  );

  test('support pagination and filters', async () => {
    const first = await listPractitioners(clinic.app(), { size: 1, with_total: true });
    expect(first).toMatchObject({ items: [{ id: rowan }], next: rowan, total: { count: 2 } });
    const second = await listPractitioners(clinic.app(), { size: 1, starting_after: rowan });
    expect(second).toMatchObject({ items: [{ id: willow }], next: null });
    expect(await namesOf([{ field: 'name', operator: 'matches', value: 'WILL' as never }])).toEqual(['Willow Example']);
    expect(await namesOf([{ field: 'id', operator: 'in', value: [rowan, newId()] as never }])).toEqual([
      'Rowan Example',
    ]);
    expect(await namesOf([{ field: 'created_at', operator: 'gt', value: '2099-01-01' as never }])).toEqual([]);
    const unlike = { field: 'email', operator: 'not_eq', value: 'rowan@clinic.example.test' } as const;
    expect(await namesOf([unlike as never])).toEqual(['Willow Example']);
    expect((await errorOf(listPractitioners(clinic.app(), { starting_after: newId() }))).code).toBe(
      'invalid_parameter',
    );
  });

  test('are forbidden for patients and applications without the scope, and invisible to other tenants', async () => {
    const patient = asPatient(clinic.services, clinic.tenant, clinic.patientId);
    const scopeless = asApplication(clinic.services, clinic.tenant, ['patients:read']);
    for (const ctx of [patient, scopeless]) {
      expect((await errorOf(listPractitioners(ctx, {}))).code).toBe('forbidden');
      expect((await errorOf(getPractitioner(ctx, { id: rowan }))).code).toBe('forbidden');
      expect((await errorOf(showCareTeam(ctx))).code).toBe('forbidden');
    }
    const elsewhere = asApplication(clinic.services, await makeTenant(clinic.services));
    // Without an Acuity connection there are no calendars.
    expect((await listPractitioners(elsewhere, {})).items).toEqual([]);
    expect((await errorOf(getPractitioner(elsewhere, { id: rowan }))).code).toBe('not_found');
    expect((await errorOf(getPractitioner(clinic.app(), { id: newId() }))).code).toBe('not_found');
    // An admin without a calendar sees no patients.
    expect((await errorOf(getPractitioner(clinic.app(), { id: hazel }))).code).toBe('not_found');
  });
});

describe('the care team', () => {
  test('groups several calendars of one practitioner and lists unmatched calendars separately', async () => {
    const alder = clinic.acuity.calendars().find(({ id }) => id === ALDER)!;
    alder.email = 'front@clinic.example.test, Rowan@clinic.example.test';
    await reloadCatalogue();
    const appointments = [await book(ALDER), await book(ROWAN), await book(JUNIPER)];
    const { practitioners, unmatched } = await showCareTeam(nurse());
    expect(practitioners.map(({ name, calendars }) => [name, calendars.map(({ id }) => id)])).toEqual([
      ['Rowan Example', [ROWAN, ALDER]],
      ['Willow Example', []],
    ]);
    expect(practitioners[0]!.visits).toEqual({
      upcoming: 2,
      next: { id: appointments[0]!.id, from_date: appointments[0]!.from_date, time_zone: 'America/Chicago' },
    });
    expect(practitioners[1]!.visits).toEqual({ upcoming: 0, next: null });
    expect(unmatched).toMatchObject([
      { id: JUNIPER, emails: [], visits: { upcoming: 1, next: { id: appointments[2]!.id } } },
    ]);
    const listed = await listAppointments(nurse(), { practitioner_id: rowan, sort_by: 'from_date' });
    expect(listed.items.map(({ id }) => id)).toEqual([appointments[0]!.id, appointments[1]!.id]);
    expect((await listAppointments(nurse(), { practitioner_id: willow })).items).toEqual([]);
  });

  test('upcoming appointments follow their calendar to its new practitioner, and the former one keeps past appointments', async () => {
    const ahead = await book(ROWAN);
    const past = await book(ROWAN);
    const long = new Date(Date.now() - 3_600_000);
    await clinic.ctx.db.appointment.updateMany({
      where: { id: past.id },
      data: { startAt: long, endAt: new Date(long.getTime() + 1_800_000) },
    });
    const whose = async (id: string) => (await getAppointment(nurse(), { id })).practitioner_id;
    expect(await whose(ahead.id)).toBe(rowan);
    // Another staff user now has the calendar's address.
    await sign(rowan, 'rowan@elsewhere.example.test');
    await sign(willow, 'rowan@clinic.example.test');
    await reloadCatalogue();
    expect(await whose(ahead.id)).toBe(willow);
    expect(await whose(past.id)).toBe(rowan);
    // After that staff user is disabled, the appointments stay theirs until the calendar has a new practitioner.
    await clinic.ctx.db.staffUser.updateMany({ where: { id: willow }, data: { disabledAt: new Date() } });
    await reloadCatalogue();
    expect(await whose(ahead.id)).toBe(willow);
    const { unmatched } = await showCareTeam(nurse());
    expect(unmatched.map(({ id }) => id)).toContain(ROWAN);
    expect(await getPractitioner(nurse(), { id: willow })).toMatchObject({ active: false, calendars: [] });
    expect((await listPractitioners(nurse(), {})).items.map(({ id }) => id)).not.toContain(willow);
  });

  test('includes appointments in calendars that Acuity does not offer, also while it is disconnected', async () => {
    await sign(willow, 'willow@clinic.example.test');
    await sign(rowan, 'rowan@clinic.example.test');
    await reloadCatalogue();
    await book(ROWAN);
    await book(JUNIPER);
    const rowanIn = ({ practitioners }: CareTeamView) => practitioners.find(({ id }) => id === rowan)!;
    const before = await showCareTeam(nurse());
    const { visits } = rowanIn(before);
    expect(visits.upcoming).toBeGreaterThan(0);
    expect(before).toMatchObject({ connection: 'connected', outside: [] });

    const juniper = before.unmatched.find(({ id }) => id === JUNIPER)!.visits;
    clinic.acuity
      .calendars()
      .splice(0, clinic.acuity.calendars().length, ...clinic.acuity.calendars().filter(({ id }) => id === ALDER));
    await reloadCatalogue();
    const without = await showCareTeam(nurse());
    expect(rowanIn(without)).toMatchObject({ calendars: [{ id: ALDER }], outside: ['Rowan Example'], visits });
    expect(without.outside).toEqual([{ id: JUNIPER, name: 'Juniper Example', visits: juniper }]);
    expect(without.unmatched).toEqual([]);

    await disconnectAcuity(asAdmin(clinic.services, clinic.tenant), { account_id: clinic.acuity.account.user_id });
    const alone = await showCareTeam(nurse());
    expect(alone).toMatchObject({ connection: 'disconnected', outside: without.outside, unmatched: [] });
    expect(rowanIn(alone)).toMatchObject({ calendars: [], outside: ['Alder Example', 'Rowan Example'], visits });
  });
});
