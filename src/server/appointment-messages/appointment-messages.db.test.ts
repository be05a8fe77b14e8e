import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { FOLLOW_UP, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { DAY, HOUR, MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { syncAppointment } from '#server/scheduling/sync/sync-appointment.ts';
import { planAppointmentMessages } from './plan-appointment-messages.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

const ahead = (startAt: Date, ms: number) => new Date(startAt.getTime() - ms);
const planMessages = (appointmentId: string, topic: string, there = false) =>
  planAppointmentMessages(bench.clinic.services, { tenantId: bench.clinic.tenant.id, appointmentId, topic, there });

describe('an appointment', () => {
  test('is confirmed by an email with a calendar file, and Acuity sends none', async () => {
    const { email, appointment } = await bench.booked();
    await bench.settle();
    const [mail, ...others] = bench.mailsTo(email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: expect.stringContaining('your appointment on') });
    expect(mail!.text).toContain(appointment.video_call_url);
    expect(`${mail!.text}${mail!.html}`).not.toMatch(/Follow-up|Rowan/);
    expect(mail!.attachments.map(({ mimeType }) => mimeType).sort()).toEqual(['application/ics', 'text/calendar']);
    expect(bench.clinic.acuity.emails()).toEqual([]);
    // A repeated run sends nothing more.
    await bench.settle();
    expect(bench.mailsTo(email)).toHaveLength(1);
  });

  test('gets each reminder once when it is due, and none that was due before the booking', async () => {
    const { email, appointment, startAt } = await bench.booked();
    await bench.settle();
    const reminders = (await bench.rowsOf(appointment.id)).filter(({ kind }) => kind === 'reminder');
    expect(reminders.map(({ minutesBefore, state }) => [minutesBefore, state])).toEqual([
      [1440, 'planned'],
      [60, 'planned'],
    ]);
    for (const { dueAt } of reminders) {
      await bench.settle(ahead(dueAt, MINUTE));
      const count = bench.mailsTo(email).length;
      await bench.settle(dueAt);
      await bench.settle(dueAt);
      expect(bench.mailsTo(email)).toHaveLength(count + 1);
    }
    await bench.settle(new Date(startAt.getTime() + DAY));
    expect(bench.mailsTo(email)).toHaveLength(3);
    expect(bench.mailsTo(email).at(-1)!.attachments).toEqual([]);
  });

  test('that is canceled is removed from the calendar and gets no reminder', async () => {
    const { email, appointment, startAt } = await bench.booked();
    await bench.settle();
    await cancelAppointment(bench.clinic.app(), { id: appointment.id });
    await bench.settle();
    expect(bench.mailsTo(email).map(({ subject }) => /canceled/.test(subject))).toEqual([false, true]);
    await bench.settle(ahead(startAt, HOUR / 2));
    expect(bench.mailsTo(email)).toHaveLength(2);
    const reminders = (await bench.rowsOf(appointment.id)).filter(({ kind }) => kind === 'reminder');
    expect(reminders.map(({ state, why }) => [state, why])).toEqual([
      ['skipped', 'canceled'],
      ['skipped', 'canceled'],
    ]);
  });

  test('that is rescheduled gets one message, and reminders only for its new time', async () => {
    const { email, appointment, startAt } = await bench.booked();
    await bench.settle();
    const to = bench.takeTime();
    await rescheduleAppointment(bench.clinic.app(), { id: appointment.id, from_date: to });
    // Before the new plan, the old time's reminder finds the appointment rescheduled.
    await bench.send(ahead(startAt, 30 * MINUTE));
    expect(bench.mailsTo(email)).toHaveLength(1);
    await bench.settle();
    expect(bench.mailsTo(email).map(({ subject }) => /moved/.test(subject))).toEqual([false, true]);
    await bench.settle(ahead(new Date(to), 30 * MINUTE));
    expect(bench.mailsTo(email)).toHaveLength(3);
  });

  test('of a patient whose care is ending gets no reminder', async () => {
    const { email, appointment, patientId } = await bench.booked();
    await bench.settle();
    await bench.clinic.ctx.db.patient.updateMany({ where: { id: patientId }, data: { careEndingAt: new Date() } });
    const { dueAt } = (await bench.rowsOf(appointment.id)).find(({ kind }) => kind === 'reminder')!;
    await bench.settle(dueAt);
    expect(bench.mailsTo(email)).toHaveLength(1);
    expect((await bench.rowsOf(appointment.id)).find(({ kind }) => kind === 'reminder')).toMatchObject({
      why: 'not_in_care',
    });
  });

  test('that is booked and canceled at once gets no message', async () => {
    const { email, appointment } = await bench.booked();
    await bench.runPlans();
    await cancelAppointment(bench.clinic.app(), { id: appointment.id });
    await bench.settle();
    expect(bench.mailsTo(email)).toEqual([]);
  });

  test('that is rescheduled before the booking was planned is confirmed once at its new time', async () => {
    const { email, appointment } = await bench.booked();
    await rescheduleAppointment(bench.clinic.app(), { id: appointment.id, from_date: bench.takeTime() });
    await planMessages(appointment.id, 'rescheduled');
    await bench.settle();
    expect(
      (await bench.rowsOf(appointment.id)).filter(({ kind }) => kind !== 'reminder').map(({ kind }) => kind),
    ).toEqual(['confirmation']);
    expect(bench.mailsTo(email).map(({ subject }) => /moved/.test(subject))).toEqual([false]);
  });

  test('that is canceled before the booking was planned gets no message', async () => {
    const { email, appointment } = await bench.booked();
    await cancelAppointment(bench.clinic.app(), { id: appointment.id });
    await planMessages(appointment.id, 'canceled');
    await bench.settle();
    expect(bench.mailsTo(email)).toEqual([]);
  });

  test('that is booked and canceled before either was planned gets no message, even when planned again', async () => {
    const { email, appointment } = await bench.booked();
    await cancelAppointment(bench.clinic.app(), { id: appointment.id });
    await bench.settle();
    await planMessages(appointment.id, 'canceled');
    await bench.settle();
    expect(bench.mailsTo(email)).toEqual([]);
  });

  test('older than the message feature gets a reschedule message without a known confirmation', async () => {
    const { email, appointment } = await bench.booked();
    await bench.runPlans();
    await bench.clinic.ctx.db.visitMessage.deleteMany({ where: { appointmentId: appointment.id } });
    await rescheduleAppointment(bench.clinic.app(), { id: appointment.id, from_date: bench.takeTime() });
    await bench.settle();
    expect(bench.mailsTo(email).map(({ subject }) => /moved/.test(subject))).toEqual([true]);
  });

  test('whose booking Acuity confirms gets a reschedule message, in either order of the jobs', async () => {
    const { email, appointment } = await bench.booked();
    await bench.clinic.services.database.system.$executeRaw`
      update graphile_worker._private_jobs set payload = (payload::jsonb || '{"there": true}')::json
      where payload->>'appointmentId' = ${appointment.id}`;
    await rescheduleAppointment(bench.clinic.app(), { id: appointment.id, from_date: bench.takeTime() });
    await planMessages(appointment.id, 'rescheduled');
    await bench.settle();
    expect(bench.mailsTo(email).map(({ subject }) => /moved/.test(subject))).toEqual([true]);
  });

  test("booked in Acuity's console gets no confirmation while Acuity sends its own, and gets reminders", async () => {
    const email = `${newId()}@example.test`;
    await makePatient(bench.clinic, { email });
    const time = bench.takeTime();
    const created = await bench.clinic.acuity.console('POST', '/appointments?admin=true', {
      ...{
        datetime: time,
        appointmentTypeID: FOLLOW_UP,
        calendarID: ROWAN,
        email,
        firstName: 'Ada',
        lastName: 'Example',
      },
    });
    await syncAppointment(bench.clinic.ctx, await getAcuityAccount(bench.clinic.ctx), created.id);
    await bench.settle();
    expect(bench.mailsTo(email)).toEqual([]);
    const row = await bench.clinic.ctx.db.appointment.findFirstOrThrow({
      where: { providerAppointmentId: created.id },
    });
    expect((await bench.rowsOf(row.id)).map(({ kind, state, why }) => [kind, state, why])).toEqual([
      ['confirmation', 'skipped', 'there'],
      ['reminder', 'planned', null],
      ['reminder', 'planned', null],
    ]);
  });
});
