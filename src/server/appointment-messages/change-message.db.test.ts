import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, MessageSettings } from '#contract/message-settings.ts';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf } from '#dev/testing/scheduling.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { newId } from '#server/core/ids.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { listAppointmentMessages, resendMessage, skipMessage } from './appointment-messages.ts';
import { updateMessageSettings } from './message-settings.ts';
import { previewMessage, testMessage } from './router.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

const admin = () => asAdmin(bench.clinic.services, bench.clinic.tenant);
const kindOf = async (id: string, kind: string, minutes = 0) =>
  (await bench.rowsOf(id)).filter((row) => row.kind === kind && row.minutesBefore === minutes).at(-1)!;

describe('a staff user', () => {
  test('sends a message again, once per request that is waiting', async () => {
    const { appointment, email } = await bench.booked();
    await bench.settle();
    const { id: message_id } = await kindOf(appointment.id, 'confirmation');
    const resend = () => resendMessage(admin(), { id: appointment.id, message_id });
    const [one, two] = [await resend(), await resend()];
    expect(one).toMatchObject({ id: two.id, state: 'planned', kind: 'confirmation' });
    expect(one.id).not.toBe(message_id);
    await bench.settle();
    expect(bench.mailsTo(email)).toHaveLength(2);
    await resend();
    await bench.settle();
    expect(bench.mailsTo(email)).toHaveLength(3);
    // SEQUENCE stays and DTSTAMP increases: calendars accept it, and a later reschedule still supersedes it.
    await rescheduleAppointment(bench.clinic.app(), { id: appointment.id, from_date: bench.takeTime() });
    await bench.settle();
    const calendarEvents = bench.mailsTo(email).map(({ attachments }) => {
      const file = attachments.find(({ mimeType }) => mimeType === 'text/calendar')!.text!;
      return { sequence: Number(/SEQUENCE:(\d+)/.exec(file)![1]), stamp: /DTSTAMP:(\w+)/.exec(file)![1]! };
    });
    expect(calendarEvents.map(({ sequence }) => sequence)).toEqual([0, 0, 0, 1]);
    const stamps = calendarEvents.map(({ stamp }) => stamp);
    expect(stamps).toEqual([...stamps].sort());
  });

  test('skips a reminder', async () => {
    const { appointment, email, startAt } = await bench.booked();
    await bench.settle();
    const { id: message_id } = await kindOf(appointment.id, 'reminder', 1440);
    for (const _ of [1, 2])
      expect(await skipMessage(admin(), { id: appointment.id, message_id })).toMatchObject({
        state: 'skipped',
        why: 'staff',
      });
    await bench.settle(new Date(startAt.getTime() - 23 * 3_600_000));
    expect(bench.mailsTo(email)).toHaveLength(1);
    // A skipped message can still be sent.
    await resendMessage(admin(), { id: appointment.id, message_id });
    await bench.settle();
    expect(bench.mailsTo(email)).toHaveLength(2);
  });

  test('cannot send a planned or an outdated message', async () => {
    const { appointment } = await bench.booked();
    await bench.settle();
    const resendError = (message_id: string) => errorOf(resendMessage(admin(), { id: appointment.id, message_id }));
    expect((await resendError((await kindOf(appointment.id, 'reminder', 60)).id)).code).toBe('conflict');
    await cancelAppointment(bench.clinic.app(), { id: appointment.id });
    await bench.settle();
    const rejection = await resendError((await kindOf(appointment.id, 'confirmation')).id);
    expect(rejection).toMatchObject({ code: 'conflict', detail: expect.stringContaining('changed again') });
    const { id } = await kindOf(appointment.id, 'reminder', 60);
    expect((await errorOf(skipMessage(admin(), { id: appointment.id, message_id: newId() }))).code).toBe('not_found');
    expect((await errorOf(skipMessage(admin(), { id: newId(), message_id: id }))).code).toBe('not_found');
  });

  test('sees what was sent; patients and applications without the scope do not', async () => {
    const { appointment, patientId } = await bench.booked();
    await bench.settle();
    const { services, tenant } = bench.clinic;
    const list = await listAppointmentMessages(asPractitioner(services, tenant), { id: appointment.id });
    expect(list.map(({ kind, state }) => [kind, state])).toEqual([
      ['confirmation', 'sent'],
      ['reminder', 'planned'],
      ['reminder', 'planned'],
    ]);
    expect(JSON.stringify(list)).not.toContain('@');
    const others = [asPatient(services, tenant, patientId), asApplication(services, tenant, ['patients:read'])];
    for (const ctx of others)
      expect((await errorOf(listAppointmentMessages(ctx, { id: appointment.id }))).code).toBe('forbidden');
  });

  test('causes an event that contains no address', async () => {
    const { appointment, email } = await bench.booked();
    await bench.settle();
    const { id } = await kindOf(appointment.id, 'confirmation');
    const event = await bench.clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: id } });
    expect(event).toMatchObject({ eventType: 'message', eventTopic: 'sent' });
    expect(event.payload).toMatchObject({ appointment_id: appointment.id, kind: 'confirmation', state: 'sent' });
    expect(JSON.stringify(event.payload)).not.toContain(email);
  });
});

describe('the message settings', () => {
  let version = 0;
  const change = async (more: Partial<MessageSettings>) => {
    const settings = MessageSettings.parse({ ...DEFAULT_SETTINGS, ...more });
    ({ version } = await updateMessageSettings(admin(), { settings, version }));
    await bench.replan();
  };
  beforeEach(() => change({}));

  test('apply to appointments that are booked already', async () => {
    const { appointment } = await bench.booked();
    await bench.settle();
    await change({ reminders: [2880, 60] });
    const planned = (await bench.rowsOf(appointment.id)).filter(({ state }) => state === 'planned');
    expect(planned.map(({ minutesBefore }) => minutesBefore)).toEqual([2880, 60]);
    await change({ sends: { ...DEFAULT_SETTINGS.sends, reminder: false } });
    expect((await bench.rowsOf(appointment.id)).filter(({ state }) => state === 'planned')).toEqual([]);
    await change({});
    const replanned = (await bench.rowsOf(appointment.id)).filter(({ state }) => state === 'planned');
    expect(replanned.map(({ minutesBefore }) => minutesBefore)).toEqual([1440, 60]);
  });

  test("may contain the tenant's own texts, and health data only when allowed", async () => {
    const words = {
      reminder: undefined,
      confirmation: { subject: 'On {date}', body: 'Dear {name}, {type}!', text: '{time}' },
    };
    expect(MessageSettings.safeParse({ ...DEFAULT_SETTINGS, words }).success).toBe(false);
    await change({ words, says_type: true });
    const { email } = await bench.booked();
    await bench.settle();
    expect(bench.mailsTo(email)[0]!.text).toContain('Dear Ada, Follow-up visit!');
  });

  test('may say the reason of a cancellation in the email, if the clinic allows it and the patient may read it', async () => {
    const mailOfCancellation = async (tell_patient: boolean) => {
      const { appointment, email } = await bench.booked();
      await bench.settle();
      await cancelAppointment(admin(), { id: appointment.id, reason: 'A burst pipe', tell_patient });
      await bench.settle(bench.afterUndo());
      return bench.mailsTo(email).at(-1)!.text;
    };
    expect(await mailOfCancellation(true)).not.toContain('reason');
    await change({ says_reason: true });
    expect(await mailOfCancellation(true)).toContain('The reason: A burst pipe');
    const untold = await mailOfCancellation(false);
    expect(untold).toContain('is canceled');
    expect(untold).not.toMatch(/reason|burst/);
    const settings = { ...DEFAULT_SETTINGS, says_reason: true };
    const preview = await previewMessage(admin(), { kind: 'cancellation', settings });
    expect(preview.text).toContain('The reason: The practitioner is ill');
    expect(preview.sms).not.toContain('ill');
  });

  test('reject texts with unknown fields, HTML or excessive length, and name the error', () => {
    const wrong = (part: object) => {
      const words = { confirmation: { subject: 'S', body: 'B', text: 'T', ...part } };
      return MessageSettings.safeParse({ ...DEFAULT_SETTINGS, words }).error?.issues.map(({ path, message }) => ({
        path,
        message,
      }));
    };
    expect(wrong({ body: 'Dear {unknown}' })![0]!.message).toMatch(/no field {unknown}/);
    expect(wrong({ body: '<b>Dear</b>' })![0]!.message).toMatch(/without HTML/);
    expect(wrong({ body: 'x'.repeat(10_001) })![0]!.message).toMatch(/at most 10,000 letters/);
    expect(wrong({ subject: 'a\nBcc: eve@example.test' })![0]!.message).toMatch(/one line/);
    expect(wrong({ text: ' ' })![0]!.path).toEqual(['words', 'confirmation', 'text']);
    expect(wrong({ body: '{practitioner}' })![0]!.message).toMatch(/health/);
    expect(wrong({ text: '{reason}' })![0]!.message).toMatch(/in the email only/);
    expect(wrong({ body: 'x < y & z > a' })).toBeUndefined();
  });

  test('return conflict for an outdated version and forbidden for a practitioner', async () => {
    const settings = { ...DEFAULT_SETTINGS, says_type: true };
    expect((await errorOf(updateMessageSettings(admin(), { settings, version: version - 1 }))).code).toBe('conflict');
    const practitioner = asPractitioner(bench.clinic.services, bench.clinic.tenant);
    expect((await errorOf(updateMessageSettings(practitioner, { settings, version }))).code).toBe('forbidden');
  });

  test('can be previewed and sent to the admin', async () => {
    const settings = DEFAULT_SETTINGS;
    const shown = await previewMessage(admin(), { kind: 'move', settings });
    expect(shown.html).toMatch(/^<!doctype html>.*<a href="http/s);
    expect(`${shown.subject} ${shown.html} ${shown.text} ${shown.sms}`).not.toMatch(/[{}]/);
    const ctx = admin();
    const email = `${newId()}@clinic.example.test`;
    const userId = ctx.actor.kind === 'admin' ? ctx.actor.userId : '';
    await ctx.db.staffUser.create({ data: { id: userId, tenantId: ctx.tenantId, email, name: 'Ada', role: 'admin' } });
    expect(await testMessage(ctx, { kind: 'move', settings })).toEqual({ sent_to: email });
    expect(bench.mailsTo(email)).toHaveLength(1);
  });
});

test('a message to a patient without an address is skipped with the reason', async () => {
  const { appointment } = await bench.booked({ email: null });
  await bench.settle();
  expect(await kindOf(appointment.id, 'confirmation')).toMatchObject({ state: 'skipped', why: 'no_address' });
});

test('booking does not wait for messages', async () => {
  const time = bench.takeTime();
  await bookAppointment(bench.clinic.app(), bench.clinic.wish(time, { calendar_id: 11 }));
  expect(await bench.clinic.ctx.db.visitMessage.count({ where: { startAt: new Date(time) } })).toBe(0);
});
