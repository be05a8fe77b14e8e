import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cyclesOf, type Import, importsOf, readFrom } from './imports.ts';
import { ROOMS } from './rooms.ts';
import { importError, zoneOf } from './zones.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const NOT_OURS = /(^|\/)(node_modules|dist|generated)(\/|$)/;
const CODE = /\.(tsx?|mts|mjs|js|jsx)$/;

const isForTests = (file: string) => /\.(test|spec)\.tsx?$|^src\/dev\/testing\/|\/testing\/|^e2e\//.test(file);

const files = ['src', 'prisma', 'e2e'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => !NOT_OURS.test(file)),
);

const sources = files
  .filter((file) => CODE.test(file))
  .map((file) => ({ file, source: readFileSync(path.join(root, file), 'utf8') }));

/** Domains in which one behaviour can be read by opening at most six files. */
const READ_IN_SIX = ['scheduling', 'subscriptions'].map((name) => `src/server/${name}`);

const UNSEEDED = /\bMath\.random\b|\bDate\.now\(\) %|\b(TEST|KILL|FUZZ|SRP)_SEED\b/;
/** Without the `seed` option fast-check takes a seed from the clock. */
const PROPERTY = /\bfc\.(assert|check|sample)\(/;
const drawsUnseeded = (source: string) => UNSEEDED.test(source) || (PROPERTY.test(source) && !/\bseed: /.test(source));
/** The seed module, the patterns in this file and the benchmarks. */
const MAY_DRAW = /^src\/dev\/(testing\/seed\.ts|testing\/architecture\.test\.ts|bench\/)/;

/** The tables of graphile-worker and the members of `pg`. */
const PRIVATE = /graphile_worker\._private_|\b_(clients|idle|isFull|remove|pendingQueue|pulseQueue|queryable)\b/;
const MAY_USE_PRIVATE = /^src\/server\/core\/(jobs|database\/bounded-pool)\.ts$|\.test\.ts$|^src\/dev\/|^e2e\//;

/** Import rule violations of one line in a file. */
const errorsIn = (file: string, source: string) =>
  importsOf(file, source).flatMap((imported) => importError(file, imported) ?? []);

describe('the source tree', () => {
  let imports: Map<string, Import[]>;
  beforeAll(() => {
    imports = new Map(sources.map(({ file, source }) => [file, importsOf(file, source)]));
  }, 60_000);

  it('has every file in a named zone', () => {
    expect(files.filter((file) => zoneOf(file) === null)).toEqual([]);
  });

  it('has no import that the table does not allow', () => {
    const errors = [...imports].flatMap(([file, imported]) => imported.flatMap((one) => importError(file, one) ?? []));
    expect(errors).toEqual([]);
  });

  const targetsOf = () =>
    new Map([...imports].map(([file, imported]) => [file, imported.flatMap((one) => one.target ?? [])]));

  it('has no import cycle, type imports included', () => {
    const targets = targetsOf();
    // The one exception: the type of all services is declared where they are built.
    const context = 'src/server/core/context.ts';
    targets.set(context, targets.get(context)?.filter((target) => target !== 'src/server/services.ts') ?? []);
    expect(cyclesOf(targets)).toEqual([]);
  });

  it.each(READ_IN_SIX)('needs at most six files of %s to read any behaviour', (domain) => {
    const targets = targetsOf();
    const isOwn = (file: string) => file.startsWith(`${domain}/`);
    const entries = [`${domain}/router.ts`, `${domain}/index.ts`];
    const behaviours = files.filter((file) => isOwn(file) && !isForTests(file) && !entries.includes(file));
    const toRead = behaviours.map((file) => readFrom(file, targets, isOwn));
    expect(toRead.length).toBeGreaterThan(10);
    expect(toRead.filter((read) => read.length > 6)).toEqual([]);
  });

  it('has no file of more than 400 lines, nor a test of more than 500', () => {
    const tooLong = sources.filter(
      ({ file, source }) => source.split('\n').length - 1 > (isForTests(file) ? 500 : 400),
    );
    expect(tooLong.map(({ file }) => file)).toEqual([]);
  });

  it('takes every random choice in tests from the seed', () => {
    const unseeded = sources.filter(
      ({ file, source }) => isForTests(file) && !MAY_DRAW.test(file) && drawsUnseeded(source),
    );
    expect(unseeded.map(({ file }) => file)).toEqual([]);
  });

  it('uses private tables and members of libraries in one file each', () => {
    const using = sources.filter(({ file, source }) => !MAY_USE_PRIVATE.test(file) && PRIVATE.test(source));
    expect(using.map(({ file }) => file)).toEqual([]);
  });

  it('has every public file that the rules name', () => {
    const named = Object.entries(ROOMS).flatMap(([domain, rooms]) =>
      Object.entries(rooms).flatMap(([name, { within }]) => within.map((open) => `src/${domain}/${name}/${open}.ts`)),
    );
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });
});

describe('an unseeded random choice', () => {
  it.each(['Math.random() < 0.5', 'Date.now() % 2 ** 31', 'process.env.KILL_SEED', 'fc.assert(property)'])(
    'is found in %s',
    (source) => expect(drawsUnseeded(source)).toBe(true),
  );

  it('is not found where fast-check gets a seed', () => {
    expect(drawsUnseeded('fc.assert(property, { seed: SEED })')).toBe(false);
  });
});

describe('an import cycle', () => {
  it('is found over any number of files', () => {
    const targets = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(cyclesOf(targets)).toEqual([['a', 'b', 'c']]);
  });

  it('is found for a file that imports itself', () => {
    expect(cyclesOf(new Map([['a', ['a']]]))).toEqual([['a']]);
  });
});

describe('readFrom', () => {
  it('returns every file that is reachable, once, without excluded ones', () => {
    const targets = new Map([
      ['a/1', ['a/2', 'b/1']],
      ['a/2', ['a/3', 'a/1']],
      ['b/1', ['a/4']],
    ]);
    expect(readFrom('a/1', targets, (file) => file.startsWith('a/'))).toEqual(['a/1', 'a/2', 'a/3']);
  });
});

describe('the import rules', () => {
  it.each([
    ['src/server/patients/a.ts', "import { x } from '../core/context.ts'"],
    ['src/server/subscriptions/create/a.ts', "import { x } from '#server/patients/index.ts'"],
    ['src/server/patients/a.test.ts', "import { x } from '#dev/testing/database.ts'"],
    ['src/web/trpc-client.tsx', "import type { AppRouter } from '#server/router.ts'"],
    ['src/app/playground/a.tsx', "import { Playground } from '#examples/playground/playground.tsx'"],
    ['src/examples/playground/a.tsx', "import { user } from '#sdk/index.ts'"],
    ['src/examples/playground/a.tsx', "import { Button } from '#web/ui/button.tsx'"],
    ['src/examples/playground/a.tsx', "import type { PatientView } from '#contract/patients.ts'"],
    ['src/examples/playground/a.tsx', "export type { PatientView as Patient } from '#contract/patients.ts'"],
    ['src/server/identity/staff/a.ts', "import { x } from '../verification/codes/verify-code.ts'"],
    ['src/server/identity/router.ts', "import { x } from './staff/router.ts'"],
    ['src/server/identity/verification/a.test.ts', "import { x } from '../staff/lockout/portal-context.ts'"],
    ['src/server/http/a.ts', "import { x } from '../identity/index.ts'"],
    ['src/server/scheduling/booking/a.ts', "import { x } from '../catalogue/catalogue.ts'"],
    ['src/server/scheduling/router.ts', "import { x } from './booking/book-appointment.ts'"],
    ['src/server/care/a.ts', "import { x } from '../subscriptions/index.ts'"],
    ['src/server/subscriptions/index.ts', "export { x } from './cancel/cancel-subscription.ts'"],
    ['src/web/portal/patient-record/a.tsx', "import { X } from '../appointments/x.tsx'"],
    ['src/web/portal/today/a.tsx', "import type { AppRouter } from '#server/router.ts'"],
    ['src/web/portal/team/a.tsx', "import { useMe } from '../me.tsx'"],
    ['src/web/portal/appointments/a.tsx', "import { Room } from '#web/ui/visit-call/room.tsx'"],
    ['src/web/patient/visit/a.tsx', "import { Room } from '../../ui/visit-call/room.tsx'"],
    ['src/web/patient/manage/a.tsx', "import { X } from '../checkout/x.tsx'"],
    ['src/app/join/a.tsx', "import { X } from '#web/ui/links/x.tsx'"],
    ['src/launcher/a.ts', 'await import(somewhere)'],
    ['src/contract/a.ts', "import { z } from 'zod'"],
  ])('allow %s: %s', (file, source) => {
    expect(errorsIn(file, source)).toEqual([]);
  });

  it.each([
    ['a command that imports test support', 'src/admin/a.ts', "import { x } from '#dev/testing/x.ts'"],
    ['a start that imports checks', 'src/launcher/a.mjs', "import { x } from '../dev/checks/x.mjs'"],
    ['an upward path', 'src/server/core/a.ts', "import { x } from '../patients/x.ts'"],
    ['a neighbouring domain', 'src/server/plans/a.ts', "import { x } from '#server/patients/x.ts'"],
    ['a higher domain', 'src/server/patients/a.ts', "import { x } from '#server/identity/x.ts'"],
    ['a re-export', 'src/contract/a.ts', "export * from '../server/core/x.ts'"],
    ['a dynamic import', 'src/web/portal/today/a.tsx', "const x = await import('#server/core/db.ts')"],
    ['an import with a computed path', 'src/web/portal/today/a.tsx', 'const x = await import(name)'],
    ['a type import', 'src/emulators/a.ts', "import type { X } from '#contract/x.ts'"],
    ['a type in place', 'src/emulators/a.ts', "let x: import('#contract/x.ts').X"],
    ['a required module', 'src/web/portal/today/a.tsx', "const x = require('#server/core/db.ts')"],
    ['the router itself', 'src/web/portal/today/a.tsx', "import { appRouter } from '#server/router.ts'"],
    ['another type of the router', 'src/web/portal/today/a.tsx', "import type { Caller } from '#server/router.ts'"],
    ['everything of the router', 'src/web/portal/today/a.tsx', "type R = import('#server/router.ts').AppRouter"],
    ["a module's private file", 'src/server/http/a.ts', "import { x } from '../identity/patients/inputs.ts'"],
    [
      'a file that only sibling modules may import',
      'src/server/team/a.ts',
      "import { x } from '../identity/verification/request-context.ts'",
    ],
    ['a sibling module', 'src/server/identity/staff/a.ts', "import { x } from '../patients/endpoints.ts'"],
    [
      'a higher module from a lower one',
      'src/server/identity/verification/a.ts',
      "import { x } from '../staff/staff-actor.ts'",
    ],
    [
      "a higher module's file from a lower one",
      'src/server/scheduling/catalogue/a.ts',
      "import { x } from '../booking/book.ts'",
    ],
    [
      "another domain's use case",
      'src/server/care/a.ts',
      "import { x } from '../scheduling/booking/book-appointment.ts'",
    ],
    [
      "a sibling module's private file",
      'src/server/identity/patients/a.ts',
      "import { x } from '../applications/origins/app-addresses.ts'",
    ],
    ['a file outside the modules', 'src/server/identity/a.ts', "import { x } from '../core/context.ts'"],
    ["a domain's file instead of its index", 'src/server/care/a.ts', "import { x } from '../patients/patient.ts'"],
    ["a domain's router from a use case", 'src/server/care/a.ts', "import { x } from '../patients/router.ts'"],
    ['a domain file instead of its router', 'src/server/router.ts', "import { x } from './patients/create-patient.ts'"],
    ['the tests from the product', 'src/server/core/a.ts', "import { x } from '#dev/testing/database.ts'"],
    ['the emulators from the product', 'src/server/core/a.ts', "import { x } from '#emulators/core/x.ts'"],
    [
      "the portal's API client from the playground",
      'src/examples/playground/a.tsx',
      "import { useTRPC } from '#web/trpc-client.tsx'",
    ],
    [
      "the SDK's private files from the playground",
      'src/examples/playground/a.ts',
      "import { send } from '#sdk/http.ts'",
    ],
    [
      "the contract's code from the playground",
      'src/examples/playground/a.ts',
      "import { PatientView } from '#contract/patients.ts'",
    ],
    [
      'a page of several resources from a page of one resource',
      'src/web/portal/patients/a.tsx',
      "import { X } from '../appointments/x.tsx'",
    ],
    ['a page of another resource', 'src/web/portal/appointments/a.tsx', "import { X } from '../subscriptions/x.tsx'"],
    [
      "a patient's page from the portal",
      'src/web/portal/appointments/a.tsx',
      "import { X } from '../../patient/visit/x.tsx'",
    ],
    [
      "a patient's page's type from the portal",
      'src/web/portal/today/a.tsx',
      "import type { X } from '#web/patient/frame/x.tsx'",
    ],
    [
      "the portal from a patient's page",
      'src/web/patient/manage/a.tsx',
      "import { X } from '#web/portal/subscriptions/x.tsx'",
    ],
    [
      "the portal's files from a patient's page",
      'src/web/patient/visit/a.tsx',
      "import { useMe } from '../../portal/me.tsx'",
    ],
    [
      "the portal's API client from a patient's page",
      'src/web/patient/visit/a.tsx',
      "import { useTRPC } from '../../trpc-client.tsx'",
    ],
    [
      "the router's type from a patient's page",
      'src/web/patient/visit/a.tsx',
      "import type { AppRouter } from '#server/router.ts'",
    ],
    [
      "another patient page from a patient's page",
      'src/web/patient/choices/a.tsx',
      "import { X } from '../checkout/x.tsx'",
    ],
    ['the docs from the portal', 'src/web/portal/webhooks/a.tsx', "import { X } from '#web/docs/x.tsx'"],
    ['the portal from the docs', 'src/web/docs/a.tsx', "import { X } from '../portal/credentials/x.tsx'"],
    [
      "a patient's page from the playground",
      'src/examples/playground/a.tsx',
      "import { X } from '#web/patient/checkout/x.ts'",
    ],
    [
      'the visit room from the playground',
      'src/examples/playground/a.tsx',
      "import { X } from '#web/ui/visit-call/x.tsx'",
    ],
    ['the playground from a receiver', 'src/examples/a.ts', "import { x } from './playground/x.ts'"],
    ['anything from a new folder of the portal', 'src/web/portal/unknown/a.tsx', "import { X } from '../team/x.tsx'"],
    ['anything from a new folder of the web', 'src/web/unknown/a.tsx', "import { X } from '../ui/x.tsx'"],
    [
      "the portal's API client from its UI components",
      'src/web/ui/a.tsx',
      "import { useTRPC } from '../trpc-client.tsx'",
    ],
    ['the visit room from the UI components', 'src/web/ui/a.tsx', "import { X } from './visit-call/x.tsx'"],
    ["Node's modules in the playground", 'src/examples/playground/a.tsx', "import fs from 'node:fs'"],
    ["Node's modules in the browser", 'src/web/portal/today/a.tsx', "import fs from 'node:fs'"],
    ['anything from a folder without a name', 'src/unknown/a.ts', "import { z } from 'zod'"],
  ])('rejects %s', (_what, file, source) => {
    expect(errorsIn(file, source)).toHaveLength(1);
  });
});
