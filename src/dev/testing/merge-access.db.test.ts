import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MOVED_TABLES } from '#server/care/move-rows.ts';
import { choicesLink } from '#server/consent/choices-link.ts';
import { unsubscribe } from '#server/consent/choices-page.ts';
import { getChoices } from '#server/consent/get-choices.ts';
import { contextFor } from '#server/core/context.ts';
import { createNote } from '#server/notes/create-note.ts';
import { saveNoteDraft } from '#server/notes/save-draft.ts';
import { type CareBench, withCare } from './care.ts';
import { SANDBOX, withClinic } from './clinic.ts';
import { codeOf, type Merging, merging } from './merging.ts';
import { signInPatient } from './signed-in.ts';

let care: CareBench;
let nurse: Merging['nurse'];
let make: Merging['make'];
let preview: Merging['preview'];
let merge: Merging['merge'];
let eventsOf: Merging['eventsOf'];
beforeAll(async () => {
  care = await withCare(await withClinic(SANDBOX));
  ({ nurse, make, preview, merge, eventsOf } = merging(care));
});
afterAll(() => care?.stop());

describe('sign-in and access', () => {
  let signIns = 0;
  const withSignIn = async (body: object) => {
    const id = await make(body);
    await care.db.patient.update({
      where: { tenantId_id: { tenantId: care.tenantId, id } },
      data: { canSignIn: true },
    });
    const phoneNumber = `+1202555${String(150 + signIns++).padStart(4, '0')}`;
    await care.db.patientSignIn.create({
      data: { tenantId: care.tenantId, patientId: id, phoneNumber, confirmedAt: new Date() },
    });
    return { id, phoneNumber, session: await signInPatient(care.clinic.ctx, id) };
  };

  test('is never moved: the other record’s sessions end, and the patient keeps the own sign-in', async () => {
    const [kept, other] = [
      await withSignIn({ email: 'kept@example.test' }),
      await withSignIn({ email: 'other@example.test' }),
    ];
    expect(await preview(kept.id, other.id)).toMatchObject({
      sign_in: 'remains',
      fields: expect.arrayContaining([{ field: 'email', takes_other: false, is_fixed: true }]),
    });
    expect(await codeOf(merge(kept.id, other.id, { take: ['email'] }))).toBe('conflict');
    expect(await care.read(other.id)).toMatchObject({ status: 'active', email: 'other@example.test' });
    await merge(kept.id, other.id);
    const me = async (token: string) => (await care.send('GET', '/patients/me', undefined, token)).status;
    expect(await me(kept.session.access_token)).toBe(200);
    await expect.poll(() => me(other.session.access_token), { timeout: 3000 }).toBe(401);
    expect(await care.read(kept.id)).toMatchObject({ can_sign_in: true, email: 'kept@example.test' });
  });

  test('ends if only the other record had one; staff invite the patient, an application does not', async () => {
    const id = await make({ first_name: 'Wei' });
    const other = await withSignIn({ email: 'signed-in@example.test' });
    expect((await preview(id, other.id)).sign_in).toBe('invite');
    await merge(id, other.id);
    expect(await care.read(id)).toMatchObject({
      can_sign_in: false,
      email: 'signed-in@example.test',
      email_verified: false,
    });
    await care.db.tenant.update({ where: { id: care.tenantId }, data: { invitesEnabled: true } });
    expect((await care.send('POST', `/patients/${id}/invite`, {})).status).toBe(403);
    expect(await care.caller(nurse).invitations.invite({ id })).toMatchObject({ status: 'invited' });
  });

  test('is remembered: an application never invites a patient who had one on any of the records', async () => {
    const [other, archived] = [await withSignIn({}), await withSignIn({})];
    const [id, last] = [await make(), await make()];
    await merge(id, other.id);
    await merge(last, id);
    await care.archive(archived.id);
    await care.send('POST', `/patients/${archived.id}/unarchive`, {});
    const beside = await make();
    await merge(beside, archived.id);
    await care.db.tenant.update({ where: { id: care.tenantId }, data: { invitesEnabled: true } });
    for (const one of [last, beside]) {
      await care.send('PATCH', `/patients/${one}`, { email: `${one}@example.test` });
      expect((await care.send('POST', `/patients/${one}/invite`, {})).status).toBe(403);
    }
  });

  test('is not begun by an invitation that an application sent before the merge', async () => {
    await care.db.tenant.update({ where: { id: care.tenantId }, data: { invitesEnabled: true } });
    const other = await withSignIn({ first_name: 'Wei' });
    const id = await make({ first_name: 'Wei', email: 'look-alike@example.test' });
    expect((await care.send('POST', `/patients/${id}/invite`, {})).status).toBe(200);
    await merge(id, other.id);
    expect(await care.db.patientSignIn.count({ where: { patientId: id } })).toBe(0);
    expect(await care.read(id)).toMatchObject({ status: 'active', can_sign_in: false });
    const [sent] = await care.db.sentInvitation.findMany({ where: { patientId: id } });
    expect(sent?.endedAt).toEqual(expect.any(Date));
  });

  test('keeps an address of the merged record for the patient', async () => {
    const [id, otherId] = [
      await make({ email: 'mine@example.test', external_id: 'crm-8' }),
      await make({ email: 'second@example.test', external_id: 'crm-9' }),
    ];
    await merge(id, otherId);
    expect((await care.send('POST', '/patients', { email: 'second@example.test' })).status).toBe(409);
    const changed = await care.send('PATCH', `/patients/${id}`, { email: 'second@example.test', external_id: 'crm-9' });
    expect(changed.body).toMatchObject({ email: 'second@example.test', external_id: 'crm-9' });
    expect(await care.read(otherId)).toMatchObject({ email: null, external_id: null });
    expect((await eventsOf(otherId)).map(({ topic }) => topic)).toEqual(['created', 'archived', 'updated', 'updated']);
  });

  test('is closed to the merged record: nothing is booked, written or brought back', async () => {
    const [id, otherId] = [await make(), await make()];
    await merge(id, otherId);
    const codes = await Promise.all([
      codeOf(createNote(nurse, { patient_id: otherId, text: 'Late' })),
      codeOf(saveNoteDraft(nurse, { target_type: 'patient', target_id: otherId, text: 'Late' })),
      care.send('POST', '/tasks', { title: 'Late', patient_id: otherId }),
      care.send('POST', '/appointments', care.wish(otherId)),
      care.send('PATCH', `/patients/${otherId}`, { first_name: 'Late' }),
      care.send('PATCH', `/patients/${otherId}/message_choices`, { channel: 'sms', state: 'stopped', words: 'Late' }),
      care.send('POST', `/patients/${otherId}/unarchive`, {}),
    ]);
    expect(codes.map((one) => (typeof one === 'string' ? one : one.body.errors[0].code))).toEqual([
      ...['createNote', 'saveNoteDraft', 'createTask', 'book', 'update', 'noteChoice'].map(() => 'patient_archived'),
      'conflict',
    ]);
  });
});

describe('what a patient wants to be sent', () => {
  const wish = (patientId: string, state: string) =>
    care.send('PATCH', `/patients/${patientId}/message_choices`, { channel: 'email', state, words: 'Said so' });
  const stateOf = async (id: string) => (await getChoices(nurse, { id })).channels[0]?.state;

  test('stays stopped if it was on either record, also where the other one allowed it later', async () => {
    const [id, otherId] = [await make({ email: 'one@example.test' }), await make({ email: 'two@example.test' })];
    await wish(id, 'stopped');
    await wish(otherId, 'stopped');
    await wish(otherId, 'allowed');
    await merge(id, otherId);
    expect(await stateOf(id)).toBe('stopped');
    const [third, fourth] = [await make({ email: 'three@example.test' }), await make()];
    await wish(fourth, 'stopped');
    await merge(third, fourth);
    expect(await stateOf(third)).toBe('stopped');
  });

  test('is changed by a link that was sent for the merged record', async () => {
    const [id, otherId] = [await make(), await make({ email: 'linked@example.test' })];
    const token = choicesLink(care.clinic.ctx, otherId).oneClick.split('/').at(-1)!;
    await merge(id, otherId);
    const visitor = contextFor(care.clinic.services, { kind: 'visitor', tenantId: care.tenantId });
    await unsubscribe(visitor, { token });
    expect(await stateOf(id)).toBe('stopped');
  });
});

/** The tables whose rows stay with the merged record, by reason. */
const STAYS: Record<string, string> = {
  patient_phones: 'Copied: the merged record shows what it had',
  patient_addresses: 'Copied: the merged record shows what it had',
  processor_customers: 'A patient is one customer in an account: merge-customers.ts',
  patient_sign_ins: 'A sign-in never moves; its number stays reserved for the patient',
  patient_sessions: 'Ended; when and where the merged record was signed in',
  known_devices: 'Deleted with the access of the merged record',
  one_time_codes: 'Deleted with the access of the merged record',
  sign_in_steps: 'Deleted with the access of the merged record',
  sign_up_attempts: 'Ended with the access of the merged record',
  asked_email_changes: 'Ended with the access of the merged record',
  address_changes: 'Ended with the access of the merged record',
  sign_in_helps: 'How staff helped with the sign-in that ended',
  sent_invitations: 'Invitations to the sign-in that ended',
  audit_entries: 'What happened, which nothing changes; the timeline reads both',
  events: 'What happened, which nothing changes',
  event_numbers: 'What happened, which nothing changes',
  unnumbered_events: 'What happened, which nothing changes',
  webhook_deliveries: 'What was sent to receivers',
};

test('every table with a patient id moves, or says why not', async () => {
  const tables = await care.db.$queryRaw<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'patient_id' and not a.attisdropped`;
  const named = [...MOVED_TABLES, ...Object.keys(STAYS)];
  expect(named.sort()).toEqual(tables.map(({ name }) => name).sort());
});
