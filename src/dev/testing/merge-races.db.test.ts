import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planAppointmentMessages } from '#server/appointment-messages/plan-appointment-messages.ts';
import { moveLateRows } from '#server/care/merge-patients.ts';
import { MOVED_TABLES } from '#server/care/move-rows.ts';
import { Prisma } from '#server/core/db.ts';
import { createNote } from '#server/notes/create-note.ts';
import { createCheckoutSession } from '#server/subscriptions/create/create-checkout-session.ts';
import { createTask } from '#server/tasks/create-task.ts';
import { asApplication } from './actors.ts';
import { applyPendingEvents } from './apply-pending-events.ts';
import { CARD } from './billing.ts';
import { type CareBench, withCare } from './care.ts';
import { SANDBOX, withClinic } from './clinic.ts';
import { codeOf, merging } from './merging.ts';
import { pauseAt } from './pause-at.ts';
import { seededRandom } from './seed.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE === '1' ? 40 : 1;
const SPREAD_MS = 80;

let care: CareBench;
beforeAll(async () => {
  care = await withCare(await withClinic({ ...SANDBOX, env: { DATABASE_CONNECTIONS: '22' } }));
});
afterAll(() => care?.stop());

const EXPECTED = ['done', 'conflict', 'patient_archived', 'not_found'];
const overRest = async (method: string, path: string, body?: object) => {
  const response = await care.send(method, path, body);
  return response.status < 400 ? 'done' : (response.body.errors[0].code as string);
};

test('concurrent merges, bookings, subscriptions, notes and edits leave one record with everything', async () => {
  const { tenantId } = care;
  const { admin, nurse } = merging(care);
  const random = seededRandom();
  let merged = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ids = [await care.patient(), await care.patient()] as const;
    const appointment = await care.book(ids[1]);
    /** Tries again while the other requests change what was compared. */
    const merge = async ([id, other_id]: readonly [string, string]) => {
      for (let attempt = 1; ; attempt += 1) {
        const { patient, other } = await care.caller(admin).patients.previewMerge({ id, other_id });
        const seen = { updated_at: patient.updated_at, other_updated_at: other.updated_at };
        const outcome = await codeOf(care.caller(admin).patients.merge({ id, other_id, take: [], ...seen }));
        if (outcome !== 'conflict' || attempt === 6) return outcome;
        await pause(random() * SPREAD_MS);
      }
    };
    const racers = [
      () => merge(ids),
      () => merge([ids[1], ids[0]]),
      () => overRest('POST', '/appointments', care.wish(ids[1])),
      () => overRest('POST', '/subscriptions', { patient_id: ids[1], price_ids: [care.offer.priceId] }),
      () => overRest('POST', `/appointments/${appointment}/cancel`, {}),
      () => overRest('PATCH', `/patients/${ids[1]}`, { metadata: { round } }),
      ...(random() < 0.2 ? [() => overRest('DELETE', `/patients/${ids[0]}/archive`)] : []),
      () => codeOf(createNote(nurse, { patient_id: ids[1], text: 'Sleeps badly.' })),
      () => codeOf(createNote(nurse, { patient_id: ids[1], appointment_id: appointment, text: 'Often.' })),
      () => codeOf(createTask(nurse, { title: 'Call', patient_id: ids[1] })),
    ];
    const outcomes = await Promise.all(
      racers.map(async (racer) => {
        await pause(random() * SPREAD_MS);
        return racer();
      }),
    );
    expect(outcomes.filter((one) => !EXPECTED.includes(one))).toEqual([]);
    for (const id of ids) {
      const { merged_into, status } = await care.read(id);
      if (!merged_into) continue;
      merged += 1;
      expect([status, ids.includes(merged_into), (await care.read(merged_into)).merged_into]).toEqual([
        'archived',
        true,
        null,
      ]);
      await moveLateRows(care.clinic.services, { tenantId, patientId: id });
      for (const table of MOVED_TABLES) {
        const rows = await care.db.$queryRaw(
          Prisma.sql`select 1 from ${Prisma.raw(table)} where patient_id = ${id}::uuid`,
        );
        expect([table, rows]).toEqual([table, []]);
      }
    }
  }
  if (ROUNDS > 1) expect(merged).toBeGreaterThan(ROUNDS / 2);
});

test('a merge waits for messages that are being planned for an appointment of the other record', async () => {
  const { tenantId, clinic, db } = care;
  const { make, merge } = merging(care);
  const [id, otherId] = [await make({ email: 'one@example.test' }), await make({ email: 'two@example.test' })];
  const appointmentId = await care.book(otherId);
  const plan = (topic: string) =>
    planAppointmentMessages(clinic.services, { tenantId, appointmentId, topic, there: false });
  await plan('scheduled');
  const { startAt, endAt } = await db.appointment.findFirstOrThrow({ where: { id: appointmentId } });
  const later = (at: Date) => new Date(at.getTime() + 3_600_000);
  await db.appointment.update({
    where: { tenantId_id: { tenantId, id: appointmentId } },
    data: { startAt: later(startAt), endAt: later(endAt) },
  });
  const point = await pauseAt(clinic.database.ownerUrl, { tables: ['message_settings'] });
  const outcomes = [codeOf(plan('rescheduled'))];
  await point.reached(1);
  outcomes.push(codeOf(merge(id, otherId)));
  await point.reached(2);
  await point.release();
  expect(await Promise.all(outcomes)).toEqual(['done', 'done']);
});

test('a purchase on a page that was open before the merge is the patient’s, and goes on', async () => {
  const { tenantId, clinic, db } = care;
  const app = 'https://app.example.test';
  await db.tenantRoute.create({ data: { key: `origin:${app}`, tenantId } });
  const { make, merge } = merging(care);
  const [id, otherId] = [await make({ first_name: 'Wei' }), await make({ first_name: 'Way' })];
  for (const one of [id, otherId]) await care.send('POST', `/subscriptions/${await care.subscribe(one)}/cancel`, {});
  const page = await createCheckoutSession(asApplication(clinic.services, { id: tenantId }), {
    ...{ patient_id: otherId, price_ids: [care.offer.priceId] },
    ...{ success_url: `${app}/paid`, cancel_url: `${app}/back` },
  });
  await merge(id, otherId);
  const card = new URLSearchParams({ number: CARD.good, expiry: '12 / 68', cvc: '123' });
  await fetch(page.url!, { method: 'POST', redirect: 'manual', body: card });
  const active = async () => {
    await applyPendingEvents(clinic.services, tenantId);
    const row = await db.subscription.findFirst({ where: { patientId: { in: [id, otherId] }, status: 'active' } });
    return row?.patientId;
  };
  await expect.poll(active, { timeout: 20_000 }).toBe(id);
  expect(await care.waiting(otherId)).toBeNull();
});
