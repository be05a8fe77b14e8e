import {
  planAllAppointments,
  planAppointmentMessages,
} from '#server/appointment-messages/plan-appointment-messages.ts';
import { sendDueMessages } from '#server/appointment-messages/send-due-messages.ts';
import type { Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { createServices } from '#server/services.ts';
import { withBooking } from './booking.ts';
import type { Clinic } from './clinic.ts';
import { makePatient, ROWAN } from './scheduling.ts';

export type SendingBench = Awaited<ReturnType<typeof withMessages>>;

/** Adds messages about appointments; the tests run the worker's jobs at the times they choose. */
export async function withMessages(started: Clinic<'acuity' | 'inbox'>) {
  const clinic = await withBooking(started);
  const { inbox } = clinic;
  const times: string[] = [];
  for (let day = 0; day < 3; day += 1)
    times.push(...(await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date));
  const takeTime = () => {
    const time = times.shift();
    if (!time) throw new Error('the bench ran out of free times');
    return time;
  };
  const at = (when: Date): Services => ({ ...clinic.services, clock: { now: () => when } });

  /** Runs the pending jobs of this kind in order. */
  async function run<Payload>(job: string, work: (payload: Payload) => Promise<void>): Promise<void> {
    const rows = await clinic.services.database.system.$queryRaw<{ id: string; payload: Payload }[]>`
      delete from graphile_worker._private_jobs where task_id in (
        select id from graphile_worker._private_tasks where identifier = ${job})
      returning id::text, payload`;
    for (const { payload } of rows.sort((a, b) => Number(a.id) - Number(b.id))) await work(payload);
  }
  const runPlans = () =>
    run('plan_visit_messages', (payload: Parameters<typeof planAppointmentMessages>[1]) =>
      planAppointmentMessages(clinic.services, payload),
    );
  return {
    inbox,
    clinic,
    at,
    takeTime,
    runPlans,
    replan: () =>
      run('plan_all_visit_messages', (payload: Parameters<typeof planAllAppointments>[1]) =>
        planAllAppointments(clinic.services, payload),
      ),
    send: (when: Date) => sendDueMessages(at(when), { tenantId: clinic.tenant.id }),
    async settle(when?: Date): Promise<void> {
      await runPlans();
      await sendDueMessages(at(when ?? new Date()), { tenantId: clinic.tenant.id });
    },
    /** When the news of a change by staff is due: it cannot be undone any more. */
    afterUndo: () => new Date(Date.now() + 16_000),
    mailsTo: (address: string) => inbox.world.state.messages.filter(({ to }) => to.includes(address)),
    rowsOf: (appointmentId: string) =>
      clinic.ctx.db.visitMessage.findMany({
        where: { appointmentId },
        orderBy: [{ dueAt: 'asc' }, { sequence: 'asc' }, { id: 'asc' }],
      }),
    /** Creates a patient with one appointment. */
    async booked(patient: Parameters<typeof makePatient>[1] = {}) {
      const email = patient.email === undefined ? `${newId()}@example.test` : patient.email;
      const { id: patientId } = await makePatient(clinic, { ...patient, email });
      const time = takeTime();
      const appointment = await bookAppointment(
        clinic.app(),
        clinic.wish(time, { patient_id: patientId, calendar_id: ROWAN }),
      );
      return { email: email ?? '', appointment, patientId, startAt: new Date(time) };
    },
    /** Sends due messages through another mail server, with its own services. */
    async sendBy(smtpUrl: string, { when, timeoutMs }: { when?: Date; timeoutMs?: number } = {}): Promise<void> {
      const { config, cipher, log } = clinic.services;
      const clock = when && { clock: { now: () => when } };
      const providerTimeoutMs = timeoutMs ?? config.providerTimeoutMs;
      const settings = { ...config, mail: { ...config.mail!, smtpUrl }, providerTimeoutMs };
      const services = createServices(settings, { cipher, log, ...clock });
      await sendDueMessages(services, { tenantId: clinic.tenant.id });
      await services.close();
    },
    stop: clinic.stop,
  };
}
