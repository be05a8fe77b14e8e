import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AppointmentMark } from '#contract/scheduling.ts';
import { asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { runJobs } from '#dev/testing/reconciling.ts';
import { claimsOf, errorOf, ROWAN } from '#dev/testing/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createCallerFactory, router } from '#server/core/trpc.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { showAppointment } from '../appointments/show-appointment.ts';
import { appointmentsRouter } from '../router.ts';
import { syncAppointment } from '../sync/sync-appointment.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { endAppointment } from './end-appointment.ts';
import { checkInAppointment, completeAppointment, markNoShow, unmarkAppointment } from './mark-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { resolveUnknownOutcomes } from './resolve-appointment.ts';
import { sendNoShow } from './send-no-show.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
});
afterAll(() => clinic.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const CANCEL = { method: 'PUT', path: '/api/v1/appointments/:id/cancel' };
const MARK = { checked_in: checkInAppointment, completed: completeAppointment, no_show: markNoShow };
const DAY_MIN = 24 * 60;

const nurse = (): Context => asPractitioner(clinic.services, clinic.tenant);
/** An appointment on a separate day, and other slots of that day. */
async function booked() {
  const slots = await clinic.free(clinic.nextDay(), ROWAN);
  const appointment = await bookAppointment(clinic.app(), clinic.wish(slots[2]!.from_date, { calendar_id: ROWAN }));
  return { ...appointment, another: slots[6]!.from_date, earlier: slots[0]!.from_date };
}
type Booked = Awaited<ReturnType<typeof booked>>;
/** The same caller some minutes after the appointment's start. */
const at = (ctx: Context, { from_date }: Booked, minutes: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(Date.parse(from_date) + minutes * 60_000) },
});
const send = (appointment: Booked, minutes: number) => {
  const { clock } = at(nurse(), appointment, minutes);
  return sendNoShow({ ...clinic.services, clock }, { tenantId: clinic.tenant.id, appointmentId: appointment.id });
};
const there = ({ provider_appointment_id }: Booked) =>
  clinic.acuity.booked().find(({ id }) => id === provider_appointment_id)!;
const inConsole = ({ provider_appointment_id }: Booked, change: string, body: object) =>
  clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/${change}?admin=true`, body);
const rowOf = ({ id }: Booked) => clinic.ctx.db.appointment.findFirstOrThrow({ where: { id } });
const topicsOf = async (objectId: string) =>
  (await clinic.ctx.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );
const waiting = ({ id }: Booked) =>
  clinic.services.database.system.$queryRaw<{ run_at: Date }[]>`
    select run_at from graphile_worker._private_jobs where key = ${`send_no_show:${id}`}`;
const sync = async ({ provider_appointment_id }: Booked) => {
  const { getAcuityAccount } = await import('#server/integrations/scheduling-account.ts');
  await syncAppointment({ ...clinic.ctx }, await getAcuityAccount(clinic.ctx), provider_appointment_id!);
};
const code = async (call: Promise<unknown>) => (await errorOf(call)).code;

describe('checking in and completing', () => {
  test('sets the time once, keeps the status, and is in the event and the filters', async () => {
    const appointment = await booked();
    const { id } = appointment;
    expect(appointment).toMatchObject({ checked_in_at: null, completed_at: null });
    const checkedIn = await checkInAppointment(at(nurse(), appointment, -5), { id });
    expect(checkedIn).toMatchObject({ status: 'scheduled', checked_in_at: expect.any(String), completed_at: null });
    expect(await checkInAppointment(at(clinic.app(), appointment, -1), { id })).toEqual(checkedIn);
    const list = async (filter: object) =>
      (await listAppointments(nurse(), { patient_id: clinic.patientId, ...filter })).items.map((one) => one.id);
    expect(await list({ checked_in: true, completed: false })).toEqual([id]);
    expect(await list({ checked_in: false })).not.toContain(id);
    const completed = await completeAppointment(at(nurse(), appointment, 20), { id });
    expect(completed).toMatchObject({ status: 'scheduled', completed_at: expect.any(String) });
    expect(await list({ completed: true })).toEqual([id]);
    expect(await topicsOf(id)).toEqual(['scheduled', 'changed', 'changed']);
    const last = await clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: id }, orderBy: { position: 'desc' } });
    expect(last.payload).toMatchObject({
      checked_in_at: checkedIn.checked_in_at,
      completed_at: completed.completed_at,
      status: 'scheduled',
    });
    expect(there(appointment)).toMatchObject({ canceled: false });
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
  });

  test('has its day: no check-in before or after it, no completion long before the start or without a check-in', async () => {
    const appointment = await booked();
    const { id } = appointment;
    expect(await code(checkInAppointment(at(nurse(), appointment, -DAY_MIN), { id }))).toBe('too_early');
    expect(await code(checkInAppointment(at(nurse(), appointment, DAY_MIN), { id }))).toBe('too_late');
    expect(await code(completeAppointment(at(nurse(), appointment, -5), { id }))).toBe('too_early');
    await checkInAppointment(at(nurse(), appointment, -90), { id });
    const tooEarly = await errorOf(completeAppointment(at(nurse(), appointment, -16), { id }));
    expect(tooEarly).toMatchObject({
      code: 'too_early',
      people: expect.stringContaining('15 minutes before the start'),
    });
    expect(await completeAppointment(at(nurse(), appointment, -15), { id })).toMatchObject({
      completed_at: expect.any(String),
    });
    const late = await booked();
    expect(await completeAppointment(at(nurse(), late, 9 * DAY_MIN), { id: late.id })).toMatchObject({
      checked_in_at: null,
      completed_at: expect.any(String),
    });
  });

  test('a completed appointment is not canceled, rescheduled, checked in or missed', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await completeAppointment(at(nurse(), appointment, 1), { id });
    const now = at(nurse(), appointment, 2);
    expect(await code(cancelAppointment(now, { id }))).toBe('conflict');
    expect(await code(checkInAppointment(now, { id }))).toBe('conflict');
    expect(await code(markNoShow(now, { id }))).toBe('conflict');
    const move = { id, from_date: appointment.another };
    expect(await code(rescheduleAppointment(at(nurse(), appointment, -2), move))).toBe('not_reschedulable');
    expect(there(appointment)).toMatchObject({ canceled: false });
  });

  test('a reschedule to a later time takes the check-in back', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await checkInAppointment(at(nurse(), appointment, -30), { id });
    expect(await rescheduleAppointment(nurse(), { id, from_date: appointment.another })).toMatchObject({
      checked_in_at: null,
    });
  });

  test('a cancellation that read the appointment before the check-in keeps its reason', async () => {
    const appointment = await booked();
    const { id } = appointment;
    const seen = await rowOf(appointment);
    await checkInAppointment(at(nurse(), appointment, -5), { id });
    await endAppointment(nurse(), seen, { text: 'Taken ill', told: true });
    expect(await getAppointment(nurse(), { id })).toMatchObject({ status: 'canceled', cancel_reason: 'Taken ill' });
    expect(there(appointment).cancelNote).toBe('Taken ill');
  });

  test('Acuity’s cancellation and no-show of a completed appointment take the completion back', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await completeAppointment(at(nurse(), appointment, 1), { id });
    await inConsole(appointment, 'cancel', { noShow: true });
    await sync(appointment);
    expect(await getAppointment(nurse(), { id })).toMatchObject({ status: 'no_show', completed_at: null });
  });

  test('a reschedule that read the appointment before it was completed does not move it', async () => {
    const appointment = await booked();
    const { id } = appointment;
    const ctx = at(nurse(), appointment, -5);
    await checkInAppointment(ctx, { id });
    const waits = clinic.ctx.db.$transaction(async (tx) => {
      await tx.$executeRaw`select 1 from appointments where id = ${id}::uuid for update`;
      const moved = errorOf(rescheduleAppointment(ctx, { id, from_date: appointment.another }));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await tx.appointment.updateMany({ where: { id }, data: { completedAt: ctx.clock.now() } });
      return [moved] as const;
    });
    expect((await (await waits)[0]).code).toBe('not_reschedulable');
    expect(there(appointment)).toMatchObject({ startAt: Date.parse(appointment.from_date) });
  });

  test('a cancellation that read the appointment before it was completed does not cancel it', async () => {
    const appointment = await booked();
    const { id } = appointment;
    const ctx = at(nurse(), appointment, 5);
    const seen = await rowOf(appointment);
    await completeAppointment(ctx, { id });
    expect(await endAppointment(ctx, seen, { text: undefined, told: true })).toMatchObject({
      status: 'scheduled',
      pendingChange: null,
    });
    expect(there(appointment)).toMatchObject({ canceled: false });
  });
});

describe('a no-show', () => {
  test('is marked at once, and at Acuity when it cannot be undone any more; no email is sent', async () => {
    const appointment = await booked();
    const { id } = appointment;
    const mails = clinic.acuity.emails().length;
    const missed = await markNoShow(at(nurse(), appointment, 1), { id });
    expect(missed).toMatchObject({ status: 'no_show', canceled_at: expect.any(String), cancel_reason: null });
    expect(there(appointment)).toMatchObject({ canceled: false });
    // Acuity still holds the rest of its time, so it is not offered yet.
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
    expect(await markNoShow(at(clinic.app(), appointment, 5), { id })).toEqual(missed);
    expect((await showAppointment(nurse(), { id })).no_show_due_at).toBe(
      new Date(Date.parse(appointment.from_date) + 11 * 60_000).toISOString(),
    );
    // A job that runs too early waits.
    await send(appointment, 11);
    expect(there(appointment)).toMatchObject({ canceled: false });
    expect((await waiting(appointment))[0]!.run_at.getTime()).toBeGreaterThan(Date.parse(missed.canceled_at!) + 6e5);
    await send(appointment, 12);
    expect(there(appointment)).toMatchObject({ canceled: true, noShow: true });
    expect(await claimsOf(clinic.ctx, id)).toEqual([]);
    expect(clinic.acuity.emails()).toHaveLength(mails);
    await sync(appointment);
    expect(await topicsOf(id)).toEqual(['scheduled', 'changed']);
    expect((await showAppointment(nurse(), { id })).no_show_due_at).toBeNull();
    expect(await code(cancelAppointment(nurse(), { id }))).toBe('conflict');
    expect(await code(unmarkAppointment(at(nurse(), appointment, 5), { id, mark: 'no_show' }))).toBe('too_late');
  });

  test('is undone within ten minutes: Acuity never knows of it', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await checkInAppointment(at(nurse(), appointment, -5), { id });
    const before = await getAppointment(nurse(), { id });
    await markNoShow(at(nurse(), appointment, 1), { id });
    // Acuity's webhooks and comparisons do not undo it.
    await sync(appointment);
    expect(await getAppointment(nurse(), { id })).toMatchObject({ status: 'no_show' });
    const undone = await unmarkAppointment(at(nurse(), appointment, 10), { id, mark: 'no_show' });
    expect(undone).toEqual({ ...before, updated_at: undone.updated_at });
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
    expect(await waiting(appointment)).toEqual([]);
    await send(appointment, 30);
    expect(there(appointment)).toMatchObject({ canceled: false });
    expect(await topicsOf(id)).toEqual(['scheduled', 'changed', 'changed', 'changed']);
  });

  test('that is undone and marked again is sent ten minutes after the second time', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await markNoShow(at(nurse(), appointment, 1), { id });
    await unmarkAppointment(at(nurse(), appointment, 2), { id, mark: 'no_show' });
    await markNoShow(at(nurse(), appointment, 9), { id });
    await send(appointment, 12);
    expect(there(appointment)).toMatchObject({ canceled: false });
    await send(appointment, 20);
    expect(there(appointment)).toMatchObject({ noShow: true });
  });

  test('does not apply to another time: rescheduled in Acuity before that, the appointment is booked again', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await markNoShow(at(nurse(), appointment, 1), { id });
    await inConsole(appointment, 'reschedule', { datetime: appointment.another });
    await send(appointment, 12);
    expect(there(appointment)).toMatchObject({ canceled: false });
    expect(await rowOf(appointment)).toMatchObject({ status: 'scheduled', canceledAt: null, noShowDueAt: null });
    expect(await topicsOf(id)).toEqual(['scheduled', 'changed', 'rescheduled']);
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
  });

  test.each([
    ['canceled', (one: Booked) => inConsole(one, 'cancel', {})],
    ['noted there as well', (one: Booked) => inConsole(one, 'cancel', { noShow: true })],
    [
      'deleted',
      async (one: Booked) => {
        const all = clinic.acuity.booked();
        all.splice(all.indexOf(there(one)), 1);
      },
    ],
  ])('stays when the appointment is %s in Acuity before that', async (_name, change) => {
    const appointment = await booked();
    await markNoShow(at(nurse(), appointment, 1), { id: appointment.id });
    await change(appointment);
    await sync(appointment);
    const undo = unmarkAppointment(at(nurse(), appointment, 5), { id: appointment.id, mark: 'no_show' });
    expect(await code(undo)).toBe('too_late');
    await send(appointment, 12);
    expect(await rowOf(appointment)).toMatchObject({ status: 'no_show', noShowDueAt: null });
  });

  test('that is undone although Acuity has ended the appointment takes over what Acuity says', async () => {
    const appointment = await booked();
    await markNoShow(at(nurse(), appointment, 1), { id: appointment.id });
    await inConsole(appointment, 'cancel', {});
    await unmarkAppointment(at(nurse(), appointment, 2), { id: appointment.id, mark: 'no_show' });
    await runJobs(clinic.services, clinic.tenant.id, ['refresh_appointment']);
    expect(await rowOf(appointment)).toMatchObject({ status: 'canceled' });
  });

  test('stays queued when the check-in before it is undone', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await checkInAppointment(at(nurse(), appointment, -2), { id });
    await markNoShow(at(nurse(), appointment, 1), { id });
    await unmarkAppointment(at(nurse(), appointment, 2), { id, mark: 'checked_in' });
    expect(await waiting(appointment)).toHaveLength(1);
  });

  test.each(['reset_before', 'reset_after', '503'] as const)('is sent again after %s', async (fault) => {
    const appointment = await booked();
    await markNoShow(at(nurse(), appointment, 1), { id: appointment.id });
    await clinic.acuity.fault(fault, CANCEL);
    await expect(send(appointment, 12)).rejects.toThrow();
    expect(await rowOf(appointment)).toMatchObject({ status: 'no_show', noShowDueAt: expect.any(Date) });
    await send(appointment, 13);
    expect(there(appointment)).toMatchObject({ canceled: true, noShow: true });
    expect(await rowOf(appointment)).toMatchObject({ status: 'no_show', noShowDueAt: null });
  });

  test('is queued again by the comparison when its job is lost', async () => {
    const appointment = await booked();
    await markNoShow(at(nurse(), appointment, 1), { id: appointment.id });
    await clinic.services.database.system.$executeRaw`delete from graphile_worker._private_jobs`;
    await resolveUnknownOutcomes(at({ ...clinic.ctx }, appointment, 11));
    expect(await waiting(appointment)).toEqual([]);
    await resolveUnknownOutcomes(at({ ...clinic.ctx }, appointment, 12));
    expect(await waiting(appointment)).toHaveLength(1);
  });

  test('can be marked days later, not before the start, and not for a canceled appointment', async () => {
    const appointment = await booked();
    const { id } = appointment;
    expect(await code(markNoShow(at(nurse(), appointment, -1), { id }))).toBe('too_early');
    expect(await markNoShow(at(nurse(), appointment, 9 * DAY_MIN), { id })).toMatchObject({ status: 'no_show' });
    const canceled = await booked();
    await cancelAppointment(nurse(), { id: canceled.id });
    for (const mark of [checkInAppointment, completeAppointment, markNoShow])
      expect(await code(mark(at(nurse(), canceled, 1), { id: canceled.id }))).toBe('already_canceled');
  });
});

describe('undoing', () => {
  test.each(['checked_in', 'completed', 'no_show'] as AppointmentMark[])(
    '%s is possible for ten minutes',
    async (mark) => {
      const appointment = await booked();
      const { id } = appointment;
      const unmark = (minutes: number) => unmarkAppointment(at(nurse(), appointment, minutes), { id, mark });
      const before = await unmark(0);
      expect(before).toEqual(await getAppointment(nurse(), { id }));
      await MARK[mark](at(nurse(), appointment, 1), { id });
      const undone = await unmark(10.9);
      expect(undone).toEqual({ ...before, updated_at: undone.updated_at });
      expect(await unmark(30)).toEqual(undone);
      await MARK[mark](at(nurse(), appointment, 12), { id });
      expect(await code(unmark(22.1))).toBe('too_late');
      const entries = await clinic.ctx.db.auditEntry.findMany({
        where: { objectId: id, action: 'appointments.update' },
      });
      expect(entries.map(({ details }) => details)).toContainEqual({ status: 'scheduled', mark, undone: true });
    },
  );
});

test('the audit log says which mark was refused, or changed nothing', async () => {
  const appointment = await booked();
  const { id } = appointment;
  const { appointments } = createCallerFactory(router({ appointments: appointmentsRouter }))(
    at(nurse(), appointment, 1),
  );
  await appointments.complete({ id });
  await appointments.complete({ id });
  await expect(appointments.checkIn({ id })).rejects.toThrow(/has taken place/);
  const entries = await clinic.ctx.db.auditEntry.findMany({
    where: { objectId: id, action: 'appointments.update' },
    orderBy: { position: 'asc' },
  });
  expect(entries.slice(-2)).toMatchObject([
    { outcome: null, details: { mark: 'completed', unchanged: true } },
    { outcome: 'conflict', details: { mark: 'checked_in' } },
  ]);
});

test('marks are for staff and applications of the tenant only, and wait for a change under way', async () => {
  const appointment = await booked();
  const { id } = appointment;
  const own = asPatient(clinic.services, clinic.tenant, clinic.patientId);
  const other = asPractitioner(clinic.services, await makeTenant(clinic.services));
  for (const [ctx, expected] of [
    [own, 'forbidden'],
    [asPatient(clinic.services, clinic.tenant, clinic.patientId, newId()), 'forbidden'],
    [other, 'not_found'],
  ] as const)
    for (const act of [
      ...Object.values(MARK),
      (of: Context, one: { id: string }) => unmarkAppointment(of, { ...one, mark: 'no_show' }),
    ])
      expect(await code(act(at(ctx, appointment, 1), { id }))).toBe(expected);
  await clinic.ctx.db.appointment.updateMany({
    where: { id },
    data: { pendingChange: { kind: 'move', to: appointment.another, unknown: true } },
  });
  for (const act of Object.values(MARK)) expect(await code(act(at(nurse(), appointment, 1), { id }))).toBe('conflict');
  expect(await rowOf(appointment)).toMatchObject({ status: 'scheduled', checkedInAt: null, completedAt: null });
});
