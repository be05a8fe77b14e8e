import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { signedIn } from '#dev/testing/signed-in.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { inviteExisting } from '../invitation/invite-existing.ts';
import { invitePatient } from '../invitation/invite-patient.ts';

describe('an address of an unconfirmed sign-up by someone else', () => {
  let bench: SignInBench;
  let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
  let people: ReturnType<typeof signedIn>;
  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    clinic = await bench.tenant();
    people = signedIn(bench, clinic, 'ivy');
    await clinic.ctx.db.tenant.update({ where: { id: clinic.ctx.tenantId }, data: { invitesEnabled: true } });
  });
  afterAll(() => bench?.stop());

  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const attackerSrp = register('a password of an attacker');
  async function attackerSignsUp(address: string): Promise<void> {
    const [path, client_id, more] = address.startsWith('+')
      ? ['passwordless', clinic.passwordless, { phone_number: address }]
      : ['credentials', clinic.credentials, { email: address, srp: attackerSrp }];
    const signUp = { client_id, attempt: newAttempt(), ...more };
    expect((await bench.post(`/${path}/sign_up`, signUp, { headers })).status).toBe(202);
    await bench.settled();
  }
  const staff = () => asPractitioner(bench.services, { id: clinic.ctx.tenantId });
  const signUpsWith = (where: object) => clinic.ctx.db.patient.count({ where: { canSignIn: false, ...where } });

  test.each(['email', 'phone'])('does not block its owner’s change of the %s', async (kind) => {
    const isEmail = kind === 'email';
    const address = isEmail ? people.newEmail() : people.newNumber();
    await attackerSignsUp(address);
    const { device, ...patient } = await (isEmail ? people.byEmail() : people.byPhone());
    const change = { [isEmail ? 'email' : 'phone_number']: address };
    expect((await people.as(patient, 'PATCH', `/${kind}`, { ...change, device })).status).toBe(202);
    const code = await bench.codeFor(address);
    const verified = await people.as(patient, 'POST', `/${kind}/verify`, { code, device });
    expect(verified.body).toMatchObject({ ...change, username: address });
    expect(await signUpsWith(isEmail ? { email: address } : { signIn: { phoneNumber: address } })).toBe(0);
  });

  test('stays pending when the owner adds it as a mere contact', async () => {
    const number = people.newNumber();
    await attackerSignsUp(number);
    const { device, ...patient } = await people.byEmail();
    await people.as(patient, 'PATCH', '/phone', { phone_number: number, device });
    const code = await bench.codeFor(number);
    expect((await people.as(patient, 'POST', '/phone/verify', { code, device })).status).toBe(200);
    expect(await signUpsWith({ signIn: { phoneNumber: number } })).toBe(1);
  });

  test('does not block an invitation by the clinic', async () => {
    const [number, existingNumber, email] = [people.newNumber(), people.newNumber(), people.newEmail()];
    for (const address of [number, existingNumber, email]) await attackerSignsUp(address);
    const app = asApplication(bench.services, { id: clinic.ctx.tenantId }, ['patients:write']);
    const { id } = await createPatient(app, { first_name: 'Ivy', phone_number: existingNumber });
    expect((await inviteExisting(staff(), { id })).status).toBe('invited');
    await bench.settled();
    expect((await people.byText(existingNumber)).user.user_id).toBe(id);
    expect((await invitePatient(staff(), { phone_number: number })).phone_number).toBe(number);
    expect((await invitePatient(staff(), { email, first_name: 'Ivy' })).email).toBe(email);
    expect((await people.signIn(email, 'a password of an attacker')).status).toBe(401);
  });
});
