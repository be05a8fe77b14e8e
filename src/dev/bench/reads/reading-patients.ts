import pg from 'pg';
import type { Scope } from '#contract/scopes.ts';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { serveHandlers } from '../../testing/http-server.ts';
import { requestToken } from '../../testing/rest-client.ts';
import type { BenchSetup } from '../bench-setup.ts';
import type { Figures, Goal, Job } from '../job.ts';
import { startProcess } from '../start-process.ts';
import type { BareServer } from './bare-process.ts';
import { recordStatements } from './record-statements.ts';
import { sendMany } from './send-many.ts';

const PATIENTS = 500;
const LOAD = { callers: 16, ms: 1_200 };
const SMALLEST = '/identity/jwks.json';
const LIST = '/api/v1/patients?size=50';

/**
 * As in production, with an audit entry written before each response; the others are measured without entries, to show
 * the work itself.
 */
const AUDITED = 'P1 50 patients, with audit entries';
const AUDITED_BUSY = `${AUDITED}, 32 callers`;
const UNAUDITED_BUSY = 'P1 50 patients, 32 callers';
const AUDITED_QUIET = `${AUDITED}, one caller`;
const UNAUDITED_QUIET = 'P1 50 patients, one caller';
const loadOf = (name: string) => ({ callers: name.endsWith('one caller') ? 1 : 32, ms: LOAD.ms });

type MeasuredRead = { path: string; words: string; limit: string };

/** The ratio of our responses to the limit's. */
const beside = ({ words, limit }: MeasuredRead, least: number): Goal => ({
  words: `${words} : ${limit}, at least ${least}`,
  of: (medians: Record<string, Figures>) => medians[words]!['per second']! / medians[limit]!['per second']!,
  holds: (ratio) => ratio >= least,
});

/** The most frequent reads over HTTP with a token, compared with node:http and pg with the same statements. */
export const readingPatients: Job = {
  id: 'P1',
  title: `reads over HTTP, ${LOAD.callers} at a time`,
  async prepare(setup) {
    const { tenantId, token, patientId, appointmentId } = await createRecords(setup);
    const list = { path: LIST, words: 'P1 50 patients', limit: 'P1 limit: the same SQL' };
    const one = { path: `/api/v1/patients/${patientId}`, words: 'P11 one patient', limit: 'P11 limit: the same SQL' };
    const smallest = { path: SMALLEST, words: 'P11 smallest answer', limit: 'P11 limit: node:http' };
    const appointments = {
      path: '/api/v1/appointments?size=50',
      words: 'P1 50 appointments',
      limit: 'P1 limit: the same SQL, appointments',
    };
    const appointment = {
      path: `/api/v1/appointments/${appointmentId}`,
      words: 'P11 one appointment',
      limit: 'P11 limit: the same SQL, appointment',
    };
    const all = [list, one, smallest, appointments, appointment];
    const bareServer = await startProcess('reads/bare-process.ts');
    const responses = await recordResponses(setup, token, all);
    const { poolSize } = setup.services.config.database;
    const options: BareServer = { databaseUrl: setup.databaseUrl, poolSize, tenantId, responses };
    const bareUrl = await bareServer.request<string>(options);
    const unaudited = await startProcess('reads/unaudited-process.ts');
    const unauditedUrl = await unaudited.request<string>(setup.settings);
    return {
      sides: [
        ...all.flatMap(({ path, words, limit }) => [
          { name: words, measure: () => sendMany({ url: unauditedUrl, path, token }, LOAD) },
          { name: limit, measure: () => sendMany({ url: bareUrl, path }, LOAD) },
        ]),
        { name: AUDITED, measure: () => sendMany({ url: setup.url, path: LIST, token }, LOAD) },
        ...[AUDITED_BUSY, AUDITED_QUIET].map((name) => ({
          name,
          measure: () => sendMany({ url: setup.url, path: LIST, token }, loadOf(name)),
        })),
        ...[UNAUDITED_BUSY, UNAUDITED_QUIET].map((name) => ({
          name,
          measure: () => sendMany({ url: unauditedUrl, path: LIST, token }, loadOf(name)),
        })),
      ],
      goals: [
        beside(list, 0.85),
        beside(one, 0.7),
        beside(smallest, 0.3),
        beside({ ...list, words: AUDITED }, 0.72),
        beside({ path: LIST, words: AUDITED_BUSY, limit: UNAUDITED_BUSY }, 0.85),
        {
          words: 'what an entry adds to one caller at a time, at most 2 ms',
          of: (medians) => medians[AUDITED_QUIET]!['p50 ms']! - medians[UNAUDITED_QUIET]!['p50 ms']!,
          holds: (ms) => ms <= 2,
        },
      ],
      stop: async () => {
        await Promise.all([bareServer.stop(), unaudited.stop()]);
      },
    };
  },
};

export async function createRecords({ services, url, ownerUrl }: BenchSetup) {
  const { id: tenantId } = await createTenant(services, { name: 'Maple Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, tenantId, 'bench');
  const patients = Array.from({ length: PATIENTS }, (_, n) => ({
    id: newId(),
    tenantId,
    firstName: 'Maple',
    lastName: `Number ${n}`,
    email: `maple${n}@example.test`,
    birthDate: new Date('1984-05-06'),
  }));
  await ctx.db.patient.createMany({ data: patients });
  const of = patients.map(({ id: patientId }) => ({ id: newId(), tenantId, patientId }));
  await ctx.db.patientPhone.createMany({
    data: of.map((each) => ({ ...each, number: '+12025550143', label: 'mobile', primary: true })),
  });
  await ctx.db.patientAddress.createMany({
    data: of.map((each) => ({ ...each, line1: '1 Example Street', city: 'Springfield', state: 'IL', zip: '62701' })),
  });
  const appointments = patients.map(({ id: patientId }, n) => ({
    ...{ id: newId(), tenantId, patientId, appointmentTypeId: 1, appointmentType: 'First visit' },
    ...{ calendarId: 2, calendar: 'Example Room', timeZone: 'America/New_York', status: 'scheduled' },
    ...{ startAt: new Date(Date.UTC(2099, 0, 1, n)), endAt: new Date(Date.UTC(2099, 0, 1, n, 30)) },
    ...{ videoToken: newId(), providerAppointmentId: n + 1 },
  }));
  await ctx.db.appointment.createMany({ data: appointments });
  const owner = new pg.Client(ownerUrl);
  await owner.connect();
  await owner.query('analyze');
  await owner.end();
  const scopes: Scope[] = ['patients:read', 'appointments:read'];
  const { application, client_secret } = await createApplication(ctx, { name: 'Server', scopes });
  const token = await requestToken(url, { clientId: application.client_id, clientSecret: client_secret });
  return { tenantId, token, patientId: patients[0]!.id, appointmentId: appointments[0]!.id };
}

/**
 * Returns the bare server's responses: the statements that ours sends for each path, or its body where it sends none.
 */
export async function recordResponses(
  { services }: BenchSetup,
  token: string,
  all: MeasuredRead[],
): Promise<BareServer['responses']> {
  const server = await serveHandlers(services);
  const responses: BareServer['responses'] = {};
  for (const { path } of all) {
    let body = '';
    const statements = await recordStatements(async () => {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      body = await response.text();
    });
    // The limit only reads; it writes no audit entry.
    const reads = statements.filter(({ text }) => !/^insert into audit_entries/i.test(text));
    responses[path] = reads.length > 0 ? reads : body;
  }
  await server.stop();
  return responses;
}
