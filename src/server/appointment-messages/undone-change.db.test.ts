import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { newId } from '#server/core/ids.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { resendMessage } from './appointment-messages.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

const admin = () => asAdmin(bench.clinic.services, bench.clinic.tenant);
const book = (patient_id: string, time: string) =>
  bookAppointment(admin(), bench.clinic.wish(time, { patient_id, calendar_id: ROWAN }));
const cancel = (id: string) => cancelAppointment(admin(), { id });
const settleLater = () => bench.settle(bench.afterUndo());

async function newPatient() {
  const email = `${newId()}@example.test`;
  const { id } = await makePatient(bench.clinic, { email });
  return { id, email };
}
/** A patient with an appointment that was confirmed. */
async function confirmed() {
  const patient = await newPatient();
  const time = bench.takeTime();
  const appointment = await book(patient.id, time);
  await settleLater();
  return { ...patient, time, appointment };
}
/** The patient's messages as kind and calendar entry, and the entry that the calendar shows in the end. */
function readMails(email: string) {
  const entries = bench.mailsTo(email).map(({ subject, attachments }) => {
    const file = attachments.find(({ mimeType }) => mimeType === 'text/calendar')!.text!;
    const [, method, uid, sequence] = /METHOD:(\w+).*UID:(\S+).*SEQUENCE:(\d+)/s.exec(file)!;
    return { subject, method, uid, sequence: Number(sequence) };
  });
  const uids = [...new Set(entries.map(({ uid }) => uid))];
  const shown = uids.flatMap((uid) => {
    const last = entries.filter((entry) => entry.uid === uid).sort((a, b) => b.sequence - a.sequence)[0]!;
    return last.method === 'REQUEST' ? [last] : [];
  });
  return {
    methods: entries.map(({ method }) => method),
    sequences: entries.map(({ sequence }) => sequence),
    uids,
    shown,
  };
}

test('the news of a change by staff waits until it cannot be undone any more', async () => {
  const { id, email } = await newPatient();
  const { id: appointment } = await book(id, bench.takeTime());
  await bench.settle();
  expect(bench.mailsTo(email)).toEqual([]);
  await bench.settle(new Date(Date.now() + 11_000));
  expect(bench.mailsTo(email)).toEqual([]);
  await settleLater();
  await cancel(appointment);
  await settleLater();
  expect(readMails(email)).toMatchObject({ methods: ['REQUEST', 'CANCEL'], sequences: [0, 1], shown: [] });
});

test('a booking or a move that is undone at once tells the patient nothing', async () => {
  const { id, email } = await newPatient();
  const { id: undone } = await book(id, bench.takeTime());
  await bench.settle();
  await cancel(undone);
  await settleLater();
  expect(bench.mailsTo(email)).toEqual([]);

  const { time, appointment, email: other } = await confirmed();
  await rescheduleAppointment(admin(), { id: appointment.id, from_date: bench.takeTime() });
  await bench.settle();
  await rescheduleAppointment(admin(), { id: appointment.id, from_date: time });
  await settleLater();
  expect(readMails(other)).toMatchObject({ methods: ['REQUEST'], sequences: [0] });
});

test('a cancellation that is undone at once tells the new link only, and keeps one calendar entry', async () => {
  const { id, email, time, appointment } = await confirmed();
  let last = appointment.id;
  for (const _ of [1, 2]) {
    await cancel(last);
    await bench.settle();
    const [withheld] = (await bench.rowsOf(last)).filter(({ kind }) => kind === 'cancellation');
    const again = await book(id, time);
    await bench.settle();
    const resent = resendMessage(admin(), { id: last, message_id: withheld!.id });
    expect(await errorOf(resent)).toMatchObject({ code: 'conflict', detail: expect.stringContaining('booked again') });
    last = again.id;
  }
  await settleLater();
  expect(readMails(email)).toMatchObject({ methods: ['REQUEST', 'REQUEST'], shown: [{ sequence: 4 }] });
  expect(readMails(email).uids).toEqual([`visit-${appointment.id}@carelane`]);
  const [link] = bench
    .mailsTo(email)
    .at(-1)!
    .text.match(/http\S+visit#\S+/)!;
  expect(link).toBe((await bench.clinic.ctx.db.appointment.findUniqueOrThrow({ where: { id: last } })).location);

  // The entry can be moved and removed later.
  await rescheduleAppointment(admin(), { id: last, from_date: bench.takeTime() });
  await settleLater();
  await cancel(last);
  await settleLater();
  expect(readMails(email)).toMatchObject({ methods: ['REQUEST', 'REQUEST', 'REQUEST', 'CANCEL'], shown: [] });
  expect(readMails(email).uids).toHaveLength(1);
});

test('a cancellation that was undone, and then made all the same, is announced once', async () => {
  const { id, email, time, appointment } = await confirmed();
  await cancel(appointment.id);
  await bench.settle();
  const again = await book(id, time);
  await bench.settle();
  await cancel(again.id);
  await settleLater();
  expect(readMails(email)).toMatchObject({ methods: ['REQUEST', 'CANCEL'], shown: [] });
});

test('a cancellation that was announced before the time was booked again is followed by a confirmation', async () => {
  const { id, email, time, appointment } = await confirmed();
  await cancel(appointment.id);
  await settleLater();
  await book(id, time);
  await settleLater();
  const { methods, uids, shown } = readMails(email);
  expect([methods, uids.length, shown.length]).toEqual([['REQUEST', 'CANCEL', 'REQUEST'], 2, 1]);
});
