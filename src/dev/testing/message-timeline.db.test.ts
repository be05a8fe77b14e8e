import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { ListTimelineInput } from '#contract/timeline.ts';
import { listAppointmentMessages, resendMessage } from '#server/appointment-messages/appointment-messages.ts';
import { previewMessage, testMessage } from '#server/appointment-messages/router.ts';
import { listTimeline } from '#server/chart/list-timeline.ts';
import { recordDeliveryError } from '#server/consent/index.ts';
import { HOUR } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { createUnsubscribeHandler } from '#server/http/unsubscribe-handler.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { asAdmin, asPractitioner } from './actors.ts';
import { withClinic } from './clinic.ts';
import { errorOf } from './scheduling.ts';
import { type SendingBench, withMessages } from './sending.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

const timelineOf = async (patient_id: string, more: object = {}) => {
  const { services, tenant } = bench.clinic;
  const ctx = asPractitioner(services, tenant);
  const { items, planned } = await listTimeline(ctx, ListTimelineInput.parse({ patient_id, ...more }));
  const messages = items.filter(({ kind }) => kind === 'messages');
  return { messages, planned, next: planned.map(({ title, note }) => [title, note]) };
};
const bounce = (address: string) => {
  const error = Object.assign(new Error('550 5.1.1'), { responseCode: 550, command: 'RCPT TO' });
  return recordDeliveryError(bench.clinic.ctx, address, error);
};
const CANNOT = 'An earlier message to this address could not be delivered';

test('the timeline has the next planned messages, and those that were withheld, with their reason', async () => {
  const { appointment, patientId, email, startAt } = await bench.booked();
  await bench.settle();
  const before = await timelineOf(patientId);
  const planned = ['A reminder of an appointment will be sent by email', null];
  expect(before.next).toEqual([planned, planned]);
  expect(before.planned[1]!.about).toMatchObject({ id: appointment.id, from_date: startAt.toISOString() });
  expect(before.planned.map(({ at }) => at)).toEqual(
    before.planned
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
  expect(before.messages.map(({ title }) => title)).toEqual(['The confirmation of an appointment was sent by email']);
  expect(before.messages[0]!.about).toEqual(before.planned[0]!.about);

  await bounce(email);
  const withheld = ['A reminder of an appointment will not be sent by email', CANNOT];
  expect((await timelineOf(patientId, { kind: 'messages' })).next).toEqual([withheld, withheld]);
  // The appointment says the same, and a message is not sent again in vain.
  const admin = asAdmin(bench.clinic.services, bench.clinic.tenant);
  const [confirmation, ...reminders] = await listAppointmentMessages(admin, { id: appointment.id });
  expect(reminders.map(({ state, why }) => [state, why])).toEqual(Array(2).fill(['planned', 'bounced']));
  const resent = resendMessage(admin, { id: appointment.id, message_id: confirmation!.id });
  expect(await errorOf(resent)).toMatchObject({ code: 'conflict', detail: expect.stringContaining(CANNOT) });
  await bench.send(new Date(startAt.getTime() - HOUR));
  const { messages } = await timelineOf(patientId);
  expect(messages[0]).toMatchObject({
    ...{ title: 'A reminder of an appointment was not sent by email', note: CANNOT, by: 'Carelane' },
    about: { id: appointment.id },
  });
  const entries = await bench.clinic.ctx.db.auditEntry.findMany({
    where: { action: 'appointment_messages.withhold', patientId },
  });
  // The reminder of the day before was replaced by that of the hour before.
  expect(entries.map(({ details }) => details)).toEqual([{ kind: 'reminder', channel: 'email', why: 'bounced' }]);
});

test('other pages and kinds of the timeline have no planned messages', async () => {
  const { appointment, patientId } = await bench.booked();
  await bench.settle();
  const { messages } = await timelineOf(patientId);
  for (const more of [{ kind: 'record' }, { object_id: appointment.id }, { starting_after: messages[0]!.id }])
    expect((await timelineOf(patientId, more)).planned).toEqual([]);
});

test('a cancellation adds no line for each reminder that it makes void', async () => {
  const { appointment, patientId } = await bench.booked();
  await bench.settle();
  await cancelAppointment(bench.clinic.app(), { id: appointment.id });
  await bench.settle();
  const { messages, planned } = await timelineOf(patientId);
  expect(planned).toEqual([]);
  expect(messages.map(({ title }) => title)).toEqual([
    'The notice that an appointment was canceled was sent by email',
    'The confirmation of an appointment was sent by email',
  ]);
});

test('the preview and the test of a reminder have the link to the choices, which leads to no patient', async () => {
  const ctx = asAdmin(bench.clinic.services, bench.clinic.tenant);
  const email = `${newId()}@clinic.example.test`;
  const id = ctx.actor.kind === 'admin' ? ctx.actor.userId : '';
  await ctx.db.staffUser.create({ data: { id, tenantId: ctx.tenantId, email, name: 'Ada', role: 'admin' } });
  const link = `${bench.clinic.services.config.publicUrl}/choices#`;
  for (const kind of ['reminder', 'move'] as const) {
    const { html, text } = await previewMessage(ctx, { kind, settings: DEFAULT_SETTINGS });
    await testMessage(ctx, { kind, settings: DEFAULT_SETTINGS });
    const sent = bench.mailsTo(email).at(-1)!;
    expect([html, text, sent.html, sent.text].map((part) => part?.includes(link))).toEqual(
      Array(4).fill(kind === 'reminder'),
    );
    if (kind === 'move') continue;
    const path = new URL(/^<(.+)>$/.exec(sent.unsubscribe!)![1]!).pathname;
    const response = await createUnsubscribeHandler(bench.clinic.services)({
      ...{ method: 'POST', path, query: new URLSearchParams(), ip: '198.51.100.7', header: () => null },
      body: async () => new TextEncoder().encode('List-Unsubscribe=One-Click'),
    });
    expect(response.status).toBe(404);
  }
});
