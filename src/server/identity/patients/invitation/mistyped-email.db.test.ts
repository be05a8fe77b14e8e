import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT as attempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf } from '#dev/testing/signed-in.ts';
import type { Context } from '#server/core/context.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { getPatientSignIn } from '../help/get-patient-sign-in.ts';
import { inviteExisting } from './invite-existing.ts';

const OWN = 'another quite long passphrase';
let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let staff: Context;
let app: Context;
let count = 0;
const newEmail = () => `kit${++count}@example.test`;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  const tenant = { id: clinic.ctx.tenantId };
  staff = asPractitioner(bench.services, tenant);
  app = asApplication(bench.services, tenant, ['patients:write']);
  await clinic.ctx.db.tenant.update({ where: tenant, data: { invitesEnabled: true } });
});
afterAll(() => bench?.stop());

const passwordFor = async (email: string) => {
  await bench.settled();
  return (await bench.messages(email))[0]?.text.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/)?.[0] ?? '';
};
const enter = async (email: string, password: string) => {
  const proof = await prove(bench, clinic.credentials, email, password);
  const { body } = await bench.post('/credentials/srp/finish', proof.body);
  return { continuation: body.continuation as string, identity: proof.started.body.identity };
};
const row = (id: string) => clinic.ctx.db.patient.findFirstOrThrow({ where: { id }, include: { signIn: true } });

describe('an invitation to a mistyped address', () => {
  test('ends when the address is corrected, also half way, and a new one lets the right person in', async () => {
    const [wrong, right] = [newEmail(), newEmail()];
    const { id } = await createPatient(app, { first_name: 'Kit', email: wrong });
    await inviteExisting(staff, { id });
    const recipient = await enter(wrong, await passwordFor(wrong));
    expect(recipient.continuation).toBeDefined();

    const readInvitations = async () => (await getPatientSignIn(staff, { patient_id: id })).invitations;
    expect(await readInvitations()).toMatchObject([{ sent_to: wrong, state: 'open' }]);
    const corrected = await updatePatient(staff, { id, email: right });
    expect(await readInvitations()).toMatchObject([{ sent_to: wrong, state: 'over' }]);
    expect(corrected).toMatchObject({ email: right, status: 'active', can_sign_in: false });
    const srp = register(OWN, recipient.identity);
    const late = await bench.post('/credentials/complete_invitation', { continuation: recipient.continuation, srp });
    expect(errorOf(late)).toEqual([409, 'expired_handshake']);
    expect((await row(id)).signIn).toBeNull();
    await bench.settled();
    // The owner of the mistyped mailbox must not learn the right one.
    expect(await bench.messages(wrong)).toHaveLength(1);

    await inviteExisting(staff, { id });
    const { continuation, identity } = await enter(right, await passwordFor(right));
    const response = await bench.post('/credentials/complete_invitation', {
      continuation,
      srp: register(OWN, identity),
    });
    expect(response.body.user).toMatchObject({ user_id: id, email: right, email_verified: true });
    const { invitations } = await getPatientSignIn(staff, { patient_id: id });
    expect(invitations).toMatchObject([
      { sent_to: right, state: 'answered' },
      { sent_to: wrong, state: 'over' },
    ]);
  });

  test('an unconfirmed sign-up ends with its address, and its code confirms nothing', async () => {
    const [typed, right] = [newEmail(), newEmail()];
    const client_id = clinic.credentials;
    await bench.post('/credentials/sign_up', { client_id, email: typed, attempt, srp: register(OWN), attributes: {} });
    const code = await bench.codeFor(typed);
    const { id } = await clinic.ctx.db.patient.findFirstOrThrow({ where: { email: typed } });
    await updatePatient(staff, { id, email: right });
    const confirmed = await bench.post('/credentials/confirm', { client_id, email: typed, attempt, code });
    expect(errorOf(confirmed)).toEqual([422, 'invalid_code']);
    expect(await row(id)).toMatchObject({ email: right, canSignIn: false, signIn: null });
  });

  test('an invitation by text stays valid, because it does not depend on the email', async () => {
    const number = '+12025550177';
    const { id } = await createPatient(app, { phone_number: number });
    await inviteExisting(staff, { id });
    await updatePatient(staff, { id, email: newEmail() });
    const { invitations } = await getPatientSignIn(staff, { patient_id: id });
    expect(invitations).toMatchObject([{ sent_to: number, state: 'open' }]);
    expect(await row(id)).toMatchObject({ status: 'invited', signIn: { phoneNumber: number } });
  });

  test('a correction during the completion either comes first or is rejected', async () => {
    for (let round = 0; round < 6; round++) {
      const [wrong, right] = [newEmail(), newEmail()];
      const { id } = await createPatient(app, { email: wrong });
      await inviteExisting(staff, { id });
      const { continuation, identity } = await enter(wrong, await passwordFor(wrong));
      const srp = register(OWN, identity);
      const [completion, corrected] = await Promise.all([
        bench.post('/credentials/complete_invitation', { continuation, srp }),
        updatePatient(staff, { id, email: right }).then(
          () => 'corrected',
          (error) => error.code,
        ),
      ]);
      expect([`200 conflict`, `409 corrected`]).toContain(`${completion.status} ${corrected}`);
      const { email, canSignIn } = await row(id);
      expect([email, canSignIn]).toEqual(completion.status === 200 ? [wrong, true] : [right, false]);
    }
  });
});
