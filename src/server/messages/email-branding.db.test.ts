import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { plainPng } from '#dev/testing/png.ts';
import { clinicRouter } from '../clinic/router.ts';
import type { Context } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { createCallerFactory } from '../core/trpc.ts';
import { sendMessage } from './send-message.ts';

const createCaller = createCallerFactory(clinicRouter);
const WHOLE = {
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
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  tenant = (await bench.tenant()).ctx;
});
const clinic = () => createCaller(asAdmin(bench.services, { id: tenant.tenantId }));

describe('a message', () => {
  const until = '2100-01-01T00:00:00Z';
  const mail = async () => {
    const to = `ada-${newId()}@example.test`;
    await tenant.db.$transaction((tx) => sendMessage(tx, tenant, { kind: 'reset_code', to, code: '012345', until }));
    await bench.settled();
    return (await bench.messages(to))[0]!;
  };

  test('has the clinic’s name, logo, color, support and terms', async () => {
    const { logo } = await clinic().setLogo({ png: asText(plainPng(200, 100)) });
    await clinic().update(WHOLE);
    const { subject, text, html } = await mail();
    expect(subject).toBe('Lakeside Clinic: set a new password');
    expect(text).toContain('Questions? Call +1 (202) 555-0142 or write to care@lakeside.example.test.');
    expect(text).toContain(
      'Terms: https://lakeside.example.test/terms\nPrivacy: https://lakeside.example.test/privacy',
    );
    expect(html).toContain(`<img src="${bench.url}${logo!.path}" alt="Lakeside Clinic" width="80" height="40">`);
    expect(html).toContain('border-bottom:3px solid #b45309');
  });

  test('has only the name of a clinic without settings', async () => {
    const { text, html } = await mail();
    expect(text).toMatch(/Riverbend Clinic$/);
    expect(`${text}${html}`).not.toMatch(/Questions|Terms|<img/);
  });

  test('by text has the phone number for questions', async () => {
    await clinic().update(WHOLE);
    const to = '+12025550177';
    await tenant.db.$transaction((tx) => sendMessage(tx, tenant, { kind: 'phone_helped', to }));
    await bench.settled();
    const [newest] = await bench.messages(to);
    expect(newest?.text).toBe(
      'Lakeside Clinic: from now on you sign in to the app with this phone number. Questions? +1 (202) 555-0142',
    );
  });
});
