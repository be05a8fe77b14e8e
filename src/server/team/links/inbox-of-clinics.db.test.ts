import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { invitePatient } from '../../identity/patients/invitation/invite-patient.ts';
import { setInvites } from '../../identity/patients/invitation/set-invites.ts';
import { createStaffUser } from '../../identity/staff/create-staff-user.ts';
import { requestStaffReset } from '../../identity/staff/request-staff-reset.ts';
import { listMessages } from '../../messages/inbox.ts';
import { createPatient } from '../../patients/create-patient.ts';

const EMAIL = 'riley@example.test';
const RILEY = { email: EMAIL, name: 'Riley Example', role: 'admin', password: 'seven quiet rivers run' } as const;

describe('the inbox of a sandbox with several clinics', () => {
  let bench: SignInBench;
  let riverbend: { id: string };
  let hillside: { id: string };
  let riley: { id: string };
  const seenBy = async (ctx: Parameters<typeof listMessages>[0]) =>
    (await listMessages(ctx, { search: EMAIL })).items.map(({ subject, text }) => `${subject}: ${text}`);

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    riverbend = { id: (await bench.tenant()).ctx.tenantId };
    hillside = { id: (await bench.tenant()).ctx.tenantId };
    riley = await createStaffUser(asAdmin(bench.services, riverbend), RILEY);
  });
  afterAll(() => bench?.stop());

  test('shows no clinic a link to the portal of another, even with the same address', async () => {
    await createPatient(asApplication(bench.services, hillside), { email: EMAIL });
    await requestStaffReset(bench.services, { email: EMAIL, source: '192.0.2.1', devices: [] });
    await bench.settled();
    expect(await bench.messages(EMAIL)).toHaveLength(1);
    expect(await seenBy(asAdmin(bench.services, hillside))).toEqual([]);
    expect(await seenBy(asAdmin(bench.services, riverbend))).toEqual([expect.stringContaining('/reset-password#')]);
    expect(await seenBy(asPractitioner(bench.services, riverbend))).toEqual([]);
    expect(await seenBy(asPractitioner(bench.services, riverbend, riley.id))).toHaveLength(1);
  });

  test('shows each clinic its own links of a user who works at two', async () => {
    await createStaffUser(asAdmin(bench.services, hillside), RILEY);
    bench.clock.pass(3_600_000);
    await requestStaffReset(bench.services, { email: EMAIL, source: '192.0.2.2', devices: [] });
    await bench.settled();
    for (const [tenant, count] of [
      [riverbend, 2],
      [hillside, 1],
    ] as const) {
      const seen = await seenBy(asAdmin(bench.services, tenant));
      expect(seen).toHaveLength(count);
      // A link's token starts with its tenant.
      const begins = Buffer.from(tenant.id.replaceAll('-', ''), 'hex').toString('base64url');
      for (const text of seen) expect(text).toContain(`/reset-password#${begins}.`);
    }
  });

  test('shows messages to patients, also by text, to their clinic only', async () => {
    const ctx = asAdmin(bench.services, hillside);
    await setInvites(ctx, { enabled: true });
    await invitePatient(ctx, { phone_number: '+12025550188' });
    await bench.settled();
    const texts = async (tenant: { id: string }) =>
      (await listMessages(asPractitioner(bench.services, tenant), { search: '2025550188' })).items.length;
    expect([await texts(hillside), await texts(riverbend)]).toEqual([1, 0]);
  });
});
