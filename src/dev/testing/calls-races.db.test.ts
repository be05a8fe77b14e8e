import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '#server/core/db.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { closeCall } from '#server/visits/close-call.ts';
import { type Calls, DESCRIPTION, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

let calls: Calls;
let owner: pg.Client;
beforeAll(async () => {
  calls = await withCalls(await withClinic());
  owner = new pg.Client({ connectionString: calls.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await calls?.stop();
});

async function enteredCall() {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token);
  const seat = await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  return { visit, rowan, patient, seat };
}
const someoneWaits = async () =>
  (
    await owner.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()",
    )
  ).rowCount;

/** Runs `first` in a transaction, starts `second`, and runs `then` once `second` waits for the transaction's lock. */
async function crossing<Result>(
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<Result>,
  then: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Result> {
  let running: Promise<Result> | undefined;
  await calls.db.$transaction(async (tx) => {
    await first(tx);
    running = second();
    running.catch(() => {});
    await expect.poll(someoneWaits, { timeout: 5_000 }).toBe(1);
    await then(tx);
  });
  return running!;
}
const lockVisit = (id: string) => (tx: Tx) =>
  tx.$queryRaw`select 1 from appointments where id = ${id}::uuid for update`;
const lockCall = (id: string) => (tx: Tx) =>
  tx.$queryRaw`select 1 from visit_calls where appointment_id = ${id}::uuid for update`;
const seatsOf = (appointmentId: string) => calls.db.visitSeat.findMany({ where: { appointmentId, leftAt: null } });

test('rejects an entry by a link that is replaced concurrently', async () => {
  const visit = await calls.makeAppointment();
  const entered = await crossing(
    lockVisit(visit.id),
    () => calls.link('visits.enter', { token: visit.token }),
    (tx) => tx.appointment.updateMany({ where: { id: visit.id }, data: { videoToken: newLinkToken(calls.tenant.id) } }),
  );
  expect([entered.status, entered.error]).toMatchObject([404, { code: 'not_found' }]);
  expect(await seatsOf(visit.id)).toEqual([]);
});

test('rejects an entry while the appointment is canceled', async () => {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const cancel = (tx: Tx) => tx.appointment.updateMany({ where: { id: visit.id }, data: { status: 'canceled' } });
  const rejection = await crossing(
    lockVisit(visit.id),
    () =>
      rowan
        .at('one')
        .visits.enterAsStaff({ id: visit.id })
        .catch((error) => error.cause),
    cancel,
  );
  expect(rejection.faults).toMatchObject([{ code: 'already_canceled' }]);
  expect(await seatsOf(visit.id)).toEqual([]);
});

test('admitting and ending the call run one after the other', async () => {
  const { visit, rowan, patient } = await enteredCall();
  await crossing(
    lockCall(visit.id),
    () => rowan.at('two').visits.admit({ id: visit.id }),
    // The update that ending the call does next.
    (tx) => tx.$executeRaw`update visit_seats set heard_at = heard_at where id = ${patient.seat_id}::uuid`,
  );
  const { startedAt } = await calls.db.visitCall.findFirstOrThrow({ where: { appointmentId: visit.id } });
  expect(startedAt).not.toBeNull();
});

test('a call is not ended when a page reconnects at the same time', async () => {
  const { visit, patient } = await enteredCall();
  const all = { appointmentId: visit.id };
  await calls.db.$executeRaw`
    update visit_seats set heard_at = heard_at - interval '61 seconds' where appointment_id = ${visit.id}::uuid`;
  await crossing(
    lockCall(visit.id),
    () => closeCall(calls.servicesAt.two, { tenantId: calls.tenant.id, ...all }),
    (tx) => tx.$executeRaw`update visit_seats set heard_at = clock_timestamp() where id = ${patient.seat_id}::uuid`,
  );
  expect(await calls.db.visitCall.findFirst({ where: all })).toMatchObject({ endedAt: null });
  expect(await seatsOf(visit.id)).toHaveLength(2);
});

test('signals sent while a call ends are deleted with it', async () => {
  const { visit, rowan, patient, seat } = await enteredCall();
  await rowan.at('two').visits.admit({ id: visit.id });
  expect((await calls.two.send(seat, patient.seat_id, DESCRIPTION)).status).toBe(204);
  const [signal] = await calls.db.visitSignal.findMany({ where: { toSeatId: patient.seat_id } });
  const words = { ...signal!, seq: signal!.seq + 1, id: seat.seat_id };
  await crossing(
    (tx) => tx.$executeRaw`update visit_seats set last_signal = 2 where id = ${patient.seat_id}::uuid`,
    () => rowan.at('one').visits.endCall({ id: visit.id }),
    (tx) => tx.visitSignal.create({ data: words }),
  );
  expect(await calls.db.visitSignal.count({ where: { toSeatId: patient.seat_id } })).toBe(0);
});
