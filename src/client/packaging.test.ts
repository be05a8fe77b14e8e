import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILERS, packedPackage } from '../dev/testing/packed-package.ts';

const packageDir = import.meta.dirname;
const root = join(packageDir, '../..');
/** Limit of a bundle with the whole client, gzipped. */
const LIMIT_BYTES = 4_000;

const USE = `
  import { createClient, clientCredentials, impersonation, sdkSession, CarelaneApiError } from '@carelane/client';
  globalThis.use = { createClient, clientCredentials, impersonation, sdkSession, CarelaneApiError };
`;
const CONSUMER = `
  import { createClient, clientCredentials, impersonation, sdkSession, CarelaneApiError, type Client, type Schemas } from '@carelane/client';
  import { verifyWebhook, WebhookVerificationError } from '@carelane/client/webhooks';
  import { nextMessage } from '@carelane/client/testing';
  const application = { tokenUrl: 'https://clinic.example/identity/oauth2/token', clientId: 'a', clientSecret: 'b' };
  const carelane: Client = createClient({ baseUrl: 'https://clinic.example/api/v1', tokens: clientCredentials(application) });
  export const others = [impersonation({ ...application, email: 'ada@example.test' }), impersonation({ ...application, patientId: 'p' })];
  export const app = sdkSession({ user: { getAccessToken: async (_options?: { renew?: boolean }) => 'token' } });
  export async function all(id: string): Promise<string | null> {
    const patient: Schemas['Patient'] = await carelane.get('/patients/{id}', { path: { id } });
    const me = await carelane.get('/patients/me');
    const given: string | null = me.first_name;
    const { headers, body } = await carelane.request('get', '/patients', { query: { with_total: true } });
    for await (const one of carelane.all('/patients', { query: { size: 100, 'filters[]': ['{}'] } })) if (one.id === body[0]?.id) break;
    try {
      const visit = await carelane.post('/appointments', {
        body: { patient_id: patient.id, appointment_type_id: 1, from_date: '2026-11-23T09:00:00-05:00' },
        idempotencyKey: 'mine',
      });
      await carelane.post('/appointments/{id}/cancel', { path: { id: visit.id } });
      await carelane.patch('/patients/{id}', { path: { id }, body: { first_name: given } });
      await carelane.delete('/patients/{id}/archive', { path: { id }, signal: new AbortController().signal });
    } catch (error) {
      if (!(error instanceof CarelaneApiError)) throw error;
      if (error.code === 'slot_taken') return error.meta.alternatives?.[0]?.from_date ?? null;
      return error.requestId ?? error.errors[0]?.source?.pointer ?? String(error.retryAfter);
    }
    return headers.get('total-count');
  }
  export function receive(body: string, headers: Headers): string {
    try {
      const event = verifyWebhook(body, headers, 'whsec_');
      if (event.test) return event.type;
      if (event.type === 'appointment.scheduled' && event.payload) return event.payload.from_date;
      return event.object_id;
    } catch (error) {
      return error instanceof WebhookVerificationError ? 'forged' : 'other';
    }
  }
  export const code = async (): Promise<string | null> => (await nextMessage({ inboxUrl: 'http://localhost', to: '+12025550101', after: new Date() })).code;
  // @ts-expect-error: no such path
  void carelane.get('/patient/{id}', { path: { id: '' } });
  // @ts-expect-error: the path needs an id
  void carelane.get('/patients/{id}');
  // @ts-expect-error: a field that is not there
  void carelane.patch('/patients/{id}', { path: { id: '' }, body: { firstName: 'Ada' } });
  // @ts-expect-error: a booking needs its fields
  void carelane.post('/appointments', { body: { patient_id: '' } });
  // @ts-expect-error: a filter that is misspelled
  void carelane.get('/patients', { query: { by_mail: '' } });
  // @ts-expect-error: one patient is no list
  void carelane.all('/patients/{id}', { path: { id: '' } });
  // @ts-expect-error: only what is done once has a key
  void carelane.get('/patients', { idempotencyKey: 'a' });
  // @ts-expect-error: one patient, by one name
  void impersonation({ ...application, email: 'ada@example.test', patientId: 'p' });
`;

/** The package as npm packs it, installed into an empty project. */
describe('the packed package', () => {
  let packed: Awaited<ReturnType<typeof packedPackage>>;
  beforeAll(async () => {
    packed = await packedPackage(import.meta.dirname);
  }, 60_000);
  afterAll(() => packed?.remove());

  test('installs no other packages', async () => {
    expect(await packed.installed()).toEqual(['node_modules/@carelane/client']);
  });

  test.each([
    ['an ES module', 'a.mjs', (names: string, from: string) => `import { ${names} } from '${from}';`],
    ['CommonJS', 'a.cjs', (names: string, from: string) => `const { ${names} } = require('${from}');`],
  ])('works in Node as %s', async (_, file, take) => {
    const stdout = await packed.node(
      file,
      `${take('createClient, CarelaneApiError', '@carelane/client')}
       ${take('verifyWebhook, WebhookVerificationError', '@carelane/client/webhooks')}
       ${take('nextMessage', '@carelane/client/testing')}
       const carelane = createClient({ baseUrl: 'http://127.0.0.1:9/api/v1', tokens: async () => 't', retries: 0 });
       carelane.get('/patients/me').catch((error) => {
         try { verifyWebhook('{}', {}, 'whsec_AAAA'); } catch (forged) {
           console.log(JSON.stringify([error instanceof CarelaneApiError, error.code, forged instanceof WebhookVerificationError, typeof nextMessage]));
         }
       });`,
    );
    expect(JSON.parse(stdout)).toEqual([true, 'network', true, 'function']);
  });

  test('a bundle of the whole client is small, and runs without Node and without a browser', async () => {
    const text = await packed.bundle(USE);
    const size = gzipSync(text).length;
    console.info(`client: ${size} bytes gzip`);
    expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
    const edge: Record<string, unknown> = {};
    runInNewContext(text, edge);
    expect(Object.keys(edge.use as object).sort()).toContain('createClient');
  });

  test('rejects a client secret in a browser', async () => {
    const source = `import { clientCredentials, impersonation } from '@carelane/client';
      const application = { tokenUrl: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' };
      globalThis.done = Promise.all([clientCredentials(application), impersonation({ ...application, patientId: 'p' })]
        .map((tokens) => tokens().catch((error) => error.code)));`;
    const page: Record<string, unknown> = { window: {}, document: {} };
    runInNewContext(await packed.bundle(source), page);
    expect(await page.done).toEqual(['server_only', 'server_only']);
  });

  describe.each(COMPILERS)('strict TypeScript $version', ({ tsc }) => {
    const NODE = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];

    test('accepts it in Node modules', { timeout: 60_000 }, async () => {
      const files = ['consumer.mts', 'consumer.cts'];
      await Promise.all(files.map((file) => packed.write(file, CONSUMER)));
      expect(await packed.complaints({ tsc, resolution: 'node16', files })).toBe('');
    });

    test("accepts it with bundler resolution, and the README's examples", { timeout: 60_000 }, async () => {
      const examples = await packed.examples();
      expect(examples.length).toBeGreaterThanOrEqual(5);
      const sources = [CONSUMER, ...examples];
      const files = sources.map((_, index) => `bundled-${index}.ts`);
      await Promise.all(files.map((file, index) => packed.write(file, sources[index]!)));
      // One of the examples is a Node server.
      expect(await packed.complaints({ tsc, resolution: 'bundler', files, more: NODE })).toBe('');
    });
  });
});
