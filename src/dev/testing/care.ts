import { PRACTITIONER_OPTIONS } from '#contract/roles.ts';
import { endCare } from '#server/care/end-care.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { contextFor, type Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { createCaller } from '#server/router.ts';
import type { Sandbox } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { type RestResponse, restClient } from './rest-client.ts';
import { readOffer } from './sample-targets.ts';
import { type Offer, takeSlot } from './samples/sample.ts';
import { ACCOUNT } from './scheduling.ts';
import { withProviderTimeout } from './services.ts';

type Waiting = { payload: Jobs['end_care']; runAt: Date };
export type CareBench = Awaited<ReturnType<typeof withCare>>;

/** Adds patients in care, and the job that ends care, which runs only when the suite calls it. */
export async function withCare(clinic: Sandbox) {
  const credentials = await clinic.application(clinic.ctx);
  const token = await clinic.token(credentials);
  const offer: Offer = await readOffer(clinic, token);
  const { db, tenantId } = clinic.ctx;
  const impatient = await serveHandlers(withProviderTimeout(clinic.services));
  const impatientRest = restClient(`${impatient.url}/api/v1`);

  const send = (method: string, path: string, body?: unknown, as: string = token): Promise<RestResponse> =>
    clinic.rest.call({ method, path, token: as, ...(body !== undefined && { body }) });
  async function make(path: string, body: object): Promise<string> {
    const response = await send('POST', path, body);
    if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    return response.body.id;
  }
  const wish = (patient_id: string) => ({ patient_id, appointment_type_id: offer.typeId, ...takeSlot(offer) });

  const staff = () =>
    contextFor(
      clinic.services,
      actorOfStaff({ role: 'practitioner', tenantId, userId: newId() }, PRACTITIONER_OPTIONS),
    );

  async function waiting(patientId: string): Promise<Waiting | null> {
    const rows = await db.$queryRaw<{ payload: Jobs['end_care']; runAt: Date }[]>`
      select payload, run_at as "runAt" from graphile_worker._private_jobs
      where key = ${`end_care:${patientId}`} and locked_at is null`;
    return rows[0] ?? null;
  }
  /** Takes the pending job off the queue and runs it at the time it is due. */
  async function run(patientId: string, services: Services = clinic.services): Promise<void> {
    const job = await waiting(patientId);
    if (!job) throw new Error('no job waits');
    await db.$executeRaw`delete from graphile_worker._private_jobs where key = ${`end_care:${patientId}`}`;
    const now = new Date(Math.max(services.clock.now().getTime(), job.runAt.getTime()));
    await endCare({ ...services, clock: { now: () => now } }, job.payload);
  }

  return {
    clinic,
    db,
    tenantId,
    credentials,
    token,
    offer,
    send,
    wish,
    patient: () => make('/patients', { first_name: 'Ada', last_name: 'Example', email: `${newId()}@example.test` }),
    book: (patientId: string) => make('/appointments', wish(patientId)),
    subscribe: (patientId: string) => make('/subscriptions', { patient_id: patientId, price_ids: [offer.priceId] }),
    archive: (patientId: string, query = '', as: string = token) =>
      send('DELETE', `/patients/${patientId}/archive${query}`, undefined, as),
    endCare: (patientId: string, as: string = token) =>
      send('DELETE', `/patients/${patientId}/archive?end_care=true`, undefined, as),
    read: async (patientId: string) => (await send('GET', `/patients/${patientId}`)).body,
    /** The end-of-care progress on the patient's page; reading it does not speed the job up. */
    staffSees: async (patientId: string) => (await createCaller(staff()).patients.care({ id: patientId })).ending,
    waiting,
    run,
    /** Runs the job as a second worker does, regardless of the queue. */
    runBeside: (job: Jobs['end_care']) => endCare(clinic.services, job),
    /** Runs the job until none is pending. */
    async settle(patientId: string): Promise<void> {
      for (let round = 0; round < 30 && (await waiting(patientId)); round += 1) await run(patientId);
      if (await waiting(patientId)) throw new Error('the job does not come to an end');
    },
    /**
     * The patient's live objects at the providers: Acuity appointments by email or visit link, Stripe subscriptions by
     * patient id.
     */
    async liveThere(patientId: string): Promise<string[]> {
      const rows = await db.appointment.findMany({ where: { patientId } });
      const patient = await db.patient.findFirstOrThrow({ where: { id: patientId } });
      const account = clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
      const appointments = account.appointments.filter(
        ({ canceled, answers, email }) =>
          !canceled &&
          (email === patient.email || rows.some((row) => answers.some(({ value }) => value.endsWith(row.videoToken)))),
      );
      const { accounts } = clinic.stripe.emulator.world.state;
      const subscriptions = Object.values(accounts)
        .flatMap(({ objects }) => Object.values(objects.subscription))
        .filter(({ metadata, status }) => metadata.patient_id === patientId && !/canceled|expired/.test(status));
      return [...appointments.map(({ id }) => `visit ${id}`), ...subscriptions.map(({ id }) => id)];
    },
    acuityFault: (kind: string, match: object, times = 1) =>
      void clinic.acuity.emulator.faults.add({ kind, match, times, holdMs: 2000 }),
    stripeFault: (kind: string, match: object, times = 1) =>
      void clinic.stripe.emulator.faults.add({ kind, match, times, holdMs: 2000 }),
    heal() {
      clinic.acuity.emulator.faults.clear();
      clinic.stripe.emulator.faults.clear();
    },
    as: (actor: Parameters<typeof contextFor>[1]) => contextFor(clinic.services, actor),
    staff,
    /** The tRPC procedures, as the portal calls them. */
    caller: createCaller,
    /** The same service with a short provider timeout, for a call that a provider delays. */
    impatient: {
      run: (patientId: string) => run(patientId, withProviderTimeout(clinic.services)),
      rest: impatientRest,
      post: (path: string, body: object) => impatientRest.call({ method: 'POST', path, token, body }),
    },
    async stop() {
      impatientRest.close();
      await impatient.stop();
      await clinic.stop();
    },
  };
}

export const CANCEL_VISIT = { method: 'PUT', path: '/api/v1/appointments/:id/cancel' };
export const END_SUBSCRIPTION = { method: 'DELETE', path: '/v1/subscriptions/:id' };
