import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { MINUTE } from '#server/core/clock.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { asAdmin } from './actors.ts';
import { type Booking, withBooking } from './booking.ts';
import { withClinic } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { differencesToAcuity } from './invariants/acuity-truth.ts';
import { pauseAt } from './pause-at.ts';
import { reconcileAcuityFor } from './reconciling.ts';
import { requestToken } from './rest-client.ts';
import { FOLLOW_UP, makePatient, ROWAN } from './scheduling.ts';
import { startHttpProcess } from './start-http-process.ts';

let clinic: Booking;
beforeAll(async () => {
  // Shared with the child process, so that it accepts the same tokens.
  clinic = await withBooking(
    await withClinic({
      acuity: true,
      env: { PROVIDER_TIMEOUT_MS: '60000' },
    }),
  );
}, 120_000);
afterAll(() => clinic?.stop());

async function applicationToken(url: string): Promise<string> {
  const { application, client_secret } = await createApplication(asAdmin(clinic.services, clinic.tenant), {
    name: 'Server',
    scopes: ['appointments:write'],
  });
  return requestToken(url, { clientId: application.client_id, clientSecret: client_secret });
}

/** A comparison never starts before the previous one ended. */
let comparedUntil = new Date();
async function agree(): Promise<void> {
  comparedUntil = await reconcileAcuityFor(clinic.services, clinic.tenant.id, comparedUntil);
  expect(await differencesToAcuity(clinic.ctx, clinic.acuity.booked(), comparedUntil)).toEqual([]);
}

const CALLS = [
  { method: 'POST', path: '/api/v1/appointments' },
  { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' },
  { method: 'PUT', path: '/api/v1/appointments/:id/cancel' },
];

test.each(['before Acuity is called', 'after Acuity has done its part', 'after its response'])(
  'both sides agree after SIGKILL %s during requests without a key, and repeating them completes each once',
  async (point) => {
    const times = (await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date);
    const emails = ['booked', 'moved', 'canceled'].map(
      (name) => `${name}.${randomBytes(6).toString('hex')}@example.test`,
    );
    const [newcomer, moving, leaving] = await Promise.all(emails.map((email) => makePatient(clinic, { email })));
    const wishOf = (patient: { id: string } | undefined, from_date: string | undefined) => ({
      ...{ patient_id: patient!.id, appointment_type_id: FOLLOW_UP, calendar_id: ROWAN, from_date: from_date! },
    });
    const moved = await bookAppointment(clinic.app(), wishOf(moving, times[1]));
    const canceled = await bookAppointment(clinic.app(), wishOf(leaving, times[2]));
    const other = await serveHandlers(clinic.services);
    onTestFinished(() => other.stop());
    const token = await applicationToken(other.url);
    /** The status of each response, or null when none arrives. */
    const send = (url: string) =>
      Object.entries({
        '/appointments': wishOf(newcomer, times[0]),
        [`/appointments/${moved.id}/reschedule`]: { from_date: times[3] },
        [`/appointments/${canceled.id}/cancel`]: {},
      }).map(([path, input]) =>
        fetch(`${url}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }).then(
          ({ status }) => status,
          () => null,
        ),
      );
    /** The start times of the three patients' appointments at Acuity. */
    const atAcuity = () =>
      emails.map((email) =>
        clinic.acuity
          .booked()
          .filter((one) => one.email === email && !one.canceled)
          .map(({ startAt }) => startAt),
      );
    const at = (n: number) => [Date.parse(times[n]!)];
    const undone = [[], at(1), at(2)];
    const done = [at(0), at(3), []];

    const victim = await startHttpProcess(clinic.settings);
    let lost: Promise<number | null>[] = [];
    try {
      if (point === 'after its response') {
        const halt = await pauseAt(clinic.database.ownerUrl, { table: 'audit_entries', at: 'before insert' });
        lost = send(victim.url);
        await halt.reached(lost.length).finally(async () => {
          await victim.kill();
          await halt.end();
        });
      } else {
        const kind = point === 'before Acuity is called' ? 'timeout_before' : 'timeout_after';
        for (const match of CALLS) await clinic.acuity.control('POST', 'faults', { kind, match, holdMs: MINUTE });
        lost = send(victim.url);
        await expect.poll(() => clinic.acuity.faults(), { timeout: 30_000 }).toEqual([]);
        if (kind === 'timeout_after') await expect.poll(atAcuity, { timeout: 30_000 }).toEqual(done);
      }
    } finally {
      await victim.kill();
    }
    expect(await Promise.all(lost)).toEqual([null, null, null]);
    expect(atAcuity()).toEqual(point === 'before Acuity is called' ? undone : done);
    await agree();

    expect(await Promise.all(send(other.url))).toEqual([201, 200, 200]);
    expect(atAcuity()).toEqual(done);
    await agree();
  },
  120_000,
);
