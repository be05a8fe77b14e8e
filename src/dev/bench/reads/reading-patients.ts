import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { serveHandlers } from '../../testing/http-server.ts';
import type { Figures, Goal, Job } from '../job.ts';
import { startProcess } from '../start-process.ts';
import type { BenchSetup } from '../world.ts';
import type { Bare } from './bare-process.ts';
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
const NOTED = 'P1 50 patients, with audit entries';
const NOTED_BUSY = `${NOTED}, 32 callers`;
const UNNOTED_BUSY = 'P1 50 patients, 32 callers';
const NOTED_QUIET = `${NOTED}, one caller`;
const UNNOTED_QUIET = 'P1 50 patients, one caller';
const loadOf = (name: string) => ({ callers: name.endsWith('one caller') ? 1 : 32, ms: LOAD.ms });

type Asked = { path: string; words: string; limit: string };

/** The ratio of our responses to the limit's. */
const beside = ({ words, limit }: Asked, least: number): Goal => ({
  words: `${words} : ${limit}, at least ${least}`,
  of: (medians: Record<string, Figures>) => medians[words]!['per second']! / medians[limit]!['per second']!,
  holds: (ratio) => ratio >= least,
});

/** The most frequent reads over HTTP with a token, compared with node:http and pg with the same statements. */
export const readingPatients: Job = {
  id: 'P1',
  title: `reads over HTTP, ${LOAD.callers} at a time`,
  async prepare(setup) {
    const { tenantId, token, patientId } = await setStage(setup);
    const list = { path: LIST, words: 'P1 50 patients', limit: 'P1 limit: the same SQL' };
    const one = { path: `/api/v1/patients/${patientId}`, words: 'P11 one patient', limit: 'P11 limit: the same SQL' };
    const smallest = { path: SMALLEST, words: 'P11 smallest answer', limit: 'P11 limit: node:http' };
    const all = [list, one, smallest];
    const bare = await startProcess('reads/bare-process.ts');
    const answers = await whatIsAsked(setup, token, all);
    const { poolSize } = setup.services.config.database;
    const told: Bare = { databaseUrl: setup.databaseUrl, poolSize, tenantId, answers };
    const bareUrl = await bare.ask<string>(told);
    const unnoted = await startProcess('reads/unnoted-process.ts');
    const unnotedUrl = await unnoted.ask<string>(setup.settings);
    return {
      sides: [
        ...all.flatMap(({ path, words, limit }) => [
          { name: words, measure: () => sendMany({ url: unnotedUrl, path, token }, LOAD) },
          { name: limit, measure: () => sendMany({ url: bareUrl, path }, LOAD) },
        ]),
        { name: NOTED, measure: () => sendMany({ url: setup.url, path: LIST, token }, LOAD) },
        ...[NOTED_BUSY, NOTED_QUIET].map((name) => ({
          name,
          measure: () => sendMany({ url: setup.url, path: LIST, token }, loadOf(name)),
        })),
        ...[UNNOTED_BUSY, UNNOTED_QUIET].map((name) => ({
          name,
          measure: () => sendMany({ url: unnotedUrl, path: LIST, token }, loadOf(name)),
        })),
      ],
      goals: [
        beside(list, 0.85),
        beside(one, 0.7),
        beside(smallest, 0.3),
        beside({ ...list, words: NOTED }, 0.72),
        beside({ path: LIST, words: NOTED_BUSY, limit: UNNOTED_BUSY }, 0.85),
        {
          words: 'what an entry adds to one caller at a time, at most 2 ms',
          of: (medians) => medians[NOTED_QUIET]!['p50 ms']! - medians[UNNOTED_QUIET]!['p50 ms']!,
          holds: (ms) => ms <= 2,
        },
      ],
      stop: async () => {
        await Promise.all([bare.stop(), unnoted.stop()]);
      },
    };
  },
};

async function setStage({ services, url }: BenchSetup) {
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
  const { application, client_secret } = await createApplication(ctx, { name: 'Server', scopes: ['patients:read'] });
  const response = await fetch(`${url}/identity/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${application.client_id}:${client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { tenantId, token, patientId: patients[0]!.id };
}

/**
 * Returns the bare server's responses: the statements that ours sends for each path, or its body where it sends none.
 */
async function whatIsAsked({ services }: BenchSetup, token: string, all: Asked[]): Promise<Bare['answers']> {
  const server = await serveHandlers(services);
  const answers: Bare['answers'] = {};
  for (const { path } of all) {
    let body = '';
    const statements = await recordStatements(async () => {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      body = await response.text();
    });
    // The limit only reads; it writes no audit entry.
    const reads = statements.filter(({ text }) => !/^insert into audit_entries/i.test(text));
    answers[path] = reads.length > 0 ? reads : body;
  }
  await server.stop();
  return answers;
}
