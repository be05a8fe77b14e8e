import { ROUTES } from '#contract/routes.ts';
import { ENDPOINT_ROWS } from '../testing/endpoint-rows.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { Reply } from './source.ts';

const MAX_BYTES = 16_000;
const LARGE = 979_000;
const SMALL = 60_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

const keys = (bytes: number, key: (n: number) => string) =>
  `{${Array.from({ length: Math.floor(bytes / (key(100_000).length + 5)) }, (_, n) => `"${key(n)}":1`).join()}}`;
/** Bodies whose response would be many times as long if it listed all their errors. */
const SPRAWLS: [string, (bytes: number) => string][] = [
  ['as many unknown keys as fit', (bytes) => keys(bytes, (n) => `k${n}`)],
  ['thirty keys of escapes', (bytes) => keys(bytes, (n) => `${'\\u0001'.repeat(bytes / 200)}${n}`)],
  ['one key as long as the body', (bytes) => `{"${'x'.repeat(bytes - 100)}":1}`],
  ['nothing but brackets', (bytes) => '['.repeat(bytes)],
];

function assertShort(what: string, { status, bytes }: Reply): void {
  assertHolds(status < 500, `${what}: ${status}`);
  assertHolds(status < 400 || bytes < MAX_BYTES, `${what}: ${status} with ${bytes} bytes`);
}

/** Every field of every endpoint, and the memory use, is tested in `src/dev/testing/error-responses.db.test.ts`. */
export const EXCESSIVE_REQUESTS: Group = {
  title: 'a client sends excessive requests',
  attacks: [
    {
      name: 'sends bodies with many errors to every endpoint',
      async run(target) {
        const { token } = await target.clinic.application(['admin']);
        const { cookie } = target.clinic.admin;
        const routes = ROUTES.filter(({ method }) => method !== 'GET').map(
          ({ method, path }): [string, string, Record<string, string>] => [
            method,
            `/api/v1${path.replace('{id}', UNKNOWN_ID)}`,
            { authorization: `Bearer ${token}` },
          ],
        );
        const server = ENDPOINT_ROWS.filter(({ method, kind }) => method !== 'GET' && kind !== 'trpc batch').map(
          ({ method, path, proof }): [string, string, Record<string, string>] => [
            method,
            path.replace('{tenant}', target.clinic.tenantId),
            proof === 'staff' ? { cookie, 'x-carelane-portal': '1' } : {},
          ],
        );
        for (const [method, path, proof] of [...routes, ...server])
          for (const [what, of] of target.isLong ? SPRAWLS : SPRAWLS.slice(0, 2)) {
            const input = { body: of(SMALL), headers: { ...JSON_TYPE, ...proof } };
            assertShort(
              `${method} ${path}: ${what}`,
              await target.newSource().send(method, target.portal + path, input),
            );
          }
        const query = Array.from({ length: 1500 }, (_, n) => `k${n}=1`).join('&');
        for (const { path } of ROUTES.filter(({ method }) => method === 'GET')) {
          const address = `${target.card.base_url}${path.replace('{id}', UNKNOWN_ID)}?${query}`;
          assertShort(`GET ${path}`, await target.newSource().send('GET', address, { token }));
        }
      },
    },
    {
      name: 'blocks other clients with twelve concurrent bodies of 979 kB',
      async run(target) {
        const { token } = await target.clinic.application(['admin']);
        const input = { body: keys(LARGE, (n) => `k${n}`), token, headers: JSON_TYPE };
        const others = target.newSource();
        const waits: number[] = [];
        let isOver = false;
        for (let round = 0; round < (target.isLong ? 5 : 1); round++) {
          isOver = false;
          const flood = Promise.all(
            Array.from({ length: 12 }, () =>
              target.newSource().send('POST', `${target.card.base_url}/patients`, input),
            ),
          ).finally(() => {
            isOver = true;
          });
          do waits.push((await others.send('GET', `${target.portal}/api/health`)).ms);
          while (!isOver);
          for (const response of await flood) {
            assertShort('one of twelve', response);
            assertHolds(
              response.status === 400 && response.body.errors.length <= 20,
              `one of twelve: ${response.status}`,
            );
          }
        }
        assertHolds(Math.max(...waits) < 2000, `another client waited ${Math.round(Math.max(...waits))} ms`);
      },
    },
    {
      name: 'sends endless requests from one IP address',
      async run(target) {
        const flood = target.newSource();
        let rejectedAt = 0;
        for (let n = 0; n < 1300 && rejectedAt === 0; n++) {
          const { status } = await flood.send('POST', `${target.portal}/api/webhooks/acuity/${UNKNOWN_ID}`, {
            body: 'id=1',
          });
          if (status === 429) rejectedAt = n;
        }
        assertHolds(rejectedAt > 0, 'an address may go on for ever');
        const other = await target.newSource().send('GET', `${target.auth}/jwks.json`);
        assertHolds(other.status === 200, `and another address is rejected: ${other.status}`);
      },
    },
  ],
};
