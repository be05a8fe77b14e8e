import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClinicView, UpdateClinicInput } from '#contract/clinic.ts';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { plainPng } from '#dev/testing/png.ts';
import type { Context } from '../core/context.ts';
import { newId, newLinkToken } from '../core/ids.ts';
import { createCallerFactory } from '../core/trpc.ts';
import { clinicRouter } from './router.ts';

const createCaller = createCallerFactory(clinicRouter);
const WHOLE: UpdateClinicInput = {
  name: 'Lakeside Clinic',
  time_zone: 'America/Chicago',
  colour: '#b45309',
  support_phone: '+12025550142',
  support_email: 'care@lakeside.example.test',
  terms_url: 'https://lakeside.example.test/terms',
  privacy_url: 'https://lakeside.example.test/privacy',
};
const asText = (png: Buffer) => png.toString('base64');

let bench: SignInBench;
let tenant: Context;
let other: Context;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  tenant = (await bench.tenant()).ctx;
  other = (await bench.tenant()).ctx;
});

const admin = (of = tenant) => createCaller(asAdmin(bench.services, { id: of.tenantId }));
const openLook = (token: string) => bench.call('POST', '/api/links/clinic.open', { token });
const picture = (path: string, init: RequestInit = {}) => fetch(bench.url + path, init);
const recorded = () =>
  tenant.db.auditEntry.findMany({ where: { action: { startsWith: 'clinic.' } }, orderBy: { position: 'asc' } });
const faultOf = (request: Promise<unknown>) =>
  request.then(
    () => 'done',
    (error) => error.cause?.faults?.[0] ?? error.cause?.issues?.[0] ?? error,
  );

describe('the clinic’s settings', () => {
  test('are changed by an admin, and audited by the names of the changed fields', async () => {
    expect(await admin().get()).toMatchObject({ name: 'Riverbend Clinic', colour: null, logo: null });
    expect(await admin().update(WHOLE)).toEqual({ ...WHOLE, logo: null });
    expect(await admin().get()).toEqual({ ...WHOLE, logo: null });
    await admin().update({ ...WHOLE, support_phone: null });
    const entries = await recorded();
    expect(entries.map(({ action, actorType, details }) => [action, actorType, details])).toEqual([
      ['clinic.update', 'Admin', { fields: Object.keys(WHOLE) }],
      ['clinic.update', 'Admin', { fields: ['support_phone'] }],
    ]);
    expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain('lakeside');
  });

  test('leave no audit entry when they are saved unchanged', async () => {
    await admin().update(WHOLE);
    await admin().update(WHOLE);
    expect(await recorded()).toHaveLength(1);
  });

  test('reject other roles, and are separate per tenant', async () => {
    const { tenantId: id } = tenant;
    const callers = [
      asPractitioner(bench.services, { id }),
      asPatient(bench.services, { id }, newId()),
      asApplication(bench.services, { id }, ['patients:read', 'patients:write']),
    ].map((ctx) => createCaller(ctx));
    for (const caller of callers) {
      expect(await faultOf(caller.get())).toMatchObject({ code: 'forbidden' });
      expect(await faultOf(caller.update(WHOLE))).toMatchObject({ code: 'forbidden' });
      expect(await faultOf(caller.setLogo({ png: asText(plainPng(32, 32)) }))).toMatchObject({ code: 'forbidden' });
      expect(await faultOf(caller.removeLogo())).toMatchObject({ code: 'forbidden' });
      expect(await faultOf(caller.open({ token: newLinkToken(id) }))).toMatchObject({ code: 'forbidden' });
    }
    expect(await recorded()).toEqual([]);
    await admin(other).update(WHOLE);
    expect(await admin().get()).toMatchObject({ name: 'Riverbend Clinic' });
  });

  const WRONG: [keyof UpdateClinicInput, unknown][] = [
    ['name', '  '],
    ['name', 'x'.repeat(81)],
    ['time_zone', 'Mars/Olympus'],
    ['colour', 'red'],
    ['colour', '#12345'],
    ['colour', '#0b6b66;background:url(//x)'],
    ['support_phone', '555'],
    ['support_phone', 'javascript:alert(1)'],
    ['support_email', 'not-an-email'],
    ['terms_url', 'http://lakeside.example.test/terms'],
    ['terms_url', 'javascript:alert(1)'],
    ['terms_url', 'https://ada:secret@lakeside.example.test/'],
    ['privacy_url', '/privacy'],
  ];
  test.each(WRONG)('are rejected with a wrong %s: %j', async (name, value) => {
    const fault = await faultOf(admin().update({ ...WHOLE, [name]: value } as UpdateClinicInput));
    expect(fault).toMatchObject({ path: [name] });
    expect(await recorded()).toEqual([]);
  });
});

describe('the reasons for a cancellation', () => {
  const DEFAULTS = ['The patient asked', 'The patient is ill', 'The practitioner is ill', 'Booked by mistake'];
  const long = (length: number) => 'x'.repeat(length);

  test('are there from the start, are replaced by an admin, and may be none', async () => {
    expect(await admin().listCancelReasons()).toEqual({ reasons: DEFAULTS });
    const reasons = ['Weather', long(100)];
    expect(await admin().setCancelReasons({ reasons })).toEqual({ reasons });
    await admin().setCancelReasons({ reasons });
    expect(await admin().listCancelReasons()).toEqual({ reasons });
    expect(await admin().setCancelReasons({ reasons: [] })).toEqual({ reasons: [] });
    expect(await admin().listCancelReasons()).toEqual({ reasons: [] });
    expect(await admin(other).listCancelReasons()).toEqual({ reasons: DEFAULTS });
    // Only changes are recorded, without the text.
    expect((await recorded()).map(({ action, details }) => [action, details])).toEqual([
      ['clinic.set_cancel_reasons', { count: 2 }],
      ['clinic.set_cancel_reasons', { count: 0 }],
    ]);
  });

  test('lose empty lines and repetitions, and keep their order', async () => {
    const reasons = [' Weather ', '', '  ', 'weather', 'Booked\ttwice\n', ...Array(30).fill('WEATHER')];
    expect(await admin().setCancelReasons({ reasons })).toEqual({ reasons: ['Weather', 'Booked twice'] });
  });

  test.each([
    [Array.from({ length: 21 }, (_, at) => `Reason ${at}`), 'Enter at most 20 reasons; these are 21.'],
    [['Fine', long(101)], `Use at most 100 characters for a reason; “${long(40)}…” has 101.`],
    [['a\u0000'], 'must not contain NUL characters or unpaired surrogates'],
  ])('are rejected when they are too many, too long or cannot be stored (%#)', async (reasons, message) => {
    const fault = await faultOf(admin().setCancelReasons({ reasons }));
    expect(fault).toMatchObject({ message, path: expect.arrayContaining(['reasons']) });
    expect(await admin().listCancelReasons()).toEqual({ reasons: DEFAULTS });
  });

  test('are read by staff who cancel, and changed by admins only', async () => {
    const tenantOf = { id: tenant.tenantId };
    const practitioner = createCaller(asPractitioner(bench.services, tenantOf));
    expect(await practitioner.listCancelReasons()).toEqual({ reasons: DEFAULTS });
    const patient = createCaller(asPatient(bench.services, tenantOf, newId()));
    const application = createCaller(asApplication(bench.services, tenantOf, ['appointments:write']));
    for (const caller of [practitioner, patient, application])
      expect(await faultOf(caller.setCancelReasons({ reasons: [] }))).toMatchObject({ code: 'forbidden' });
    for (const caller of [patient, application])
      expect(await faultOf(caller.listCancelReasons())).toMatchObject({ code: 'forbidden' });
  });
});

describe('the logo', () => {
  test('is served publicly from our own origin, and replaced under another address', async () => {
    const first = plainPng(64, 32);
    const { logo } = await admin().setLogo({ png: asText(first) });
    expect(logo).toMatchObject({ width: 64, height: 32 });
    const response = await picture(logo!.path);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(first);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(first.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const { logo: second } = await admin().setLogo({ png: asText(plainPng(32, 32, [180, 83, 9])) });
    expect(second!.path).not.toBe(logo!.path);
    // A mail of yesterday shows today's logo, and its cache expires soon.
    const old = await picture(logo!.path);
    expect([old.status, old.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(await admin().removeLogo()).toMatchObject({ logo: null });
    for (const path of [logo!.path, second!.path]) {
      const removed = await picture(path);
      expect([removed.status, removed.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
    await admin().removeLogo();
    expect((await recorded()).map(({ action }) => action)).toEqual([
      'clinic.set_logo',
      'clinic.set_logo',
      'clinic.remove_logo',
    ]);
  });

  test('belongs to one tenant', async () => {
    const { logo } = await admin().setLogo({ png: asText(plainPng(64, 32)) });
    expect(await admin(other).get()).toMatchObject({ logo: null });
    expect((await picture(logo!.path.replace(tenant.tenantId, other.tenantId))).status).toBe(404);
  });

  test('is served at its exact address only, and not changed by requests to it', async () => {
    const { logo } = await admin().setLogo({ png: asText(plainPng(64, 32)) });
    for (const path of ['/api/logos/', '/api/logos/x/y.png', `${logo!.path}.svg`, logo!.path.toUpperCase()])
      expect([path, (await picture(path)).status]).toEqual([path, 404]);
    const head = await picture(logo!.path, { method: 'HEAD' });
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, (await picture(logo!.path, { method })).status]).toEqual([method, 405]);
  });

  const INVALID_LOGOS: [what: string, png: string, sentence: RegExp][] = [
    ['an SVG', asText(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), /not a PNG/],
    ['invalid base64', '<svg>', /not a PNG/],
    ['base64 with trailing text', `${asText(plainPng(32, 32))}\n<svg>`, /not a PNG/],
    ['a damaged picture', asText(plainPng(32, 32).subarray(0, -4)), /damaged/],
    [
      'a file of 256,001 bytes',
      asText(Buffer.concat([plainPng(32, 32), Buffer.alloc(256_001 - plainPng(32, 32).length)])),
      /larger than 256 kB/,
    ],
    ['a file that is much too large', 'A'.repeat(400_000), /larger than 256 kB/],
  ];
  test.each(INVALID_LOGOS)('is rejected when it is %s, and the previous one stays', async (_, png, sentence) => {
    const { logo } = await admin().setLogo({ png: asText(plainPng(64, 32)) });
    const fault = await faultOf(admin().setLogo({ png }));
    expect(fault.detail ?? fault.message).toMatch(sentence);
    expect((await admin().get()).logo).toEqual(logo);
  });
});

describe('a page opened from a link', () => {
  test('gets the look of the clinic that its token names, and nothing else', async () => {
    const { logo } = await admin().setLogo({ png: asText(plainPng(64, 32)) });
    await admin().update(WHOLE);
    const { status, body } = await openLook(newLinkToken(tenant.tenantId));
    const { time_zone: _, ...look } = { ...WHOLE, logo } as ClinicView;
    expect([status, body]).toEqual([200, look]);
  });

  test('gets not_found for a token of no clinic', async () => {
    expect((await openLook(newLinkToken(newId()))).status).toBe(404);
    expect((await openLook('nothing')).status).toBe(404);
  });
});
