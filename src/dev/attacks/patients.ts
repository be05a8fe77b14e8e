import { setTimeout as sleep } from 'node:timers/promises';
import { newAttempt, register } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import { codeOf, PASSWORD } from './people.ts';
import type { Reply } from './source.ts';
import type { AttackTarget } from './target.ts';

const PATIENCE_MS = 30_000;
const OWN_PASSWORD = 'seven quiet rivers';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Creates a patient with a future appointment and a subscription in the card's clinic, which has both providers. */
async function inCare(target: AttackTarget) {
  const token = await target.cardToken();
  const api = async (method: string, path: string, json?: object): Promise<Reply['body']> => {
    const response = await target.api(token, method, path, json);
    assertHolds(response.status < 300, `${method} ${path}: ${response.text.slice(0, 300)}`);
    return response.body;
  };
  const { id } = await api('POST', '/patients', {
    first_name: 'Ada',
    last_name: 'Example',
    email: target.newEmail('care'),
  });
  const plans = await api('GET', '/subscription_plans');
  const plan = plans.find((one: { trial_period_in_days: number | null }) => one.trial_period_in_days);
  const subscription = await api('POST', '/subscriptions', { patient_id: id, price_ids: [plan.id] });
  const [type] = await api('GET', '/appointment_types');
  const today = new Date().toISOString().slice(0, 10);
  const slots = await api('GET', `/availability?appointment_type_id=${type.id}&from_date=${today}`);
  const book = async (fromEnd: number) => {
    const { appointment_type_id, calendar_id, from_date } = slots.at(-fromEnd);
    return target.api(token, 'POST', '/appointments', { patient_id: id, appointment_type_id, calendar_id, from_date });
  };
  // Another run may have taken the last slot.
  let booked = await book(1);
  for (let n = 2; booked.status !== 201 && n < 12; n++) booked = await book(n);
  assertHolds(booked.status === 201, `not booked: ${booked.text}`);
  return { id, token, api, plan, book, appointmentId: booked.body.id, subscriptionId: subscription.id };
}

/** Sends an invalid request to the API. @returns the errors */
async function expectErrors(target: AttackTarget, token: string, method: string, path: string, json?: object) {
  const { status, body } = await target.api(token, method, path, json);
  const errors: { code: string; detail: string; source?: { pointer?: string; parameter?: string } }[] =
    body?.errors ?? [];
  assertHolds(status >= 400 && status < 500 && errors.length > 0, `${method} ${path}: ${status}`);
  return { status, errors };
}

/**
 * Patients and the contract. Failing providers are tested in `src/server/care/races.db.test.ts` and
 * `end-care.db.test.ts`, the clinic's own pages in messages in `origins/app-links.db.test.ts`, and production settings
 * (HSTS, `sslmode`, STARTTLS) in `src/server/core/config.test.ts`.
 */
export const PATIENTS: Group = {
  title: 'requests through applications with unintended effects',
  attacks: [
    {
      name: 'archives a patient with an appointment and a subscription, which both stay active',
      async run(target) {
        const { id, token, api, plan, book, appointmentId, subscriptionId } = await inCare(target);
        const archive = (query = '') => target.api(token, 'DELETE', `/patients/${id}/archive${query}`);
        const rejected = await archive();
        assertHolds(codeOf(rejected) === '409 conflict', `archived at once: ${codeOf(rejected)}`);
        const { live } = rejected.body.errors[0].meta;
        assertHolds(live.visits.ids.includes(appointmentId), 'the appointment is not named');
        assertHolds(live.subscriptions.ids.includes(subscriptionId), 'the subscription is not named');
        assertHolds(
          (await api('GET', `/patients/${id}`)).status === 'active',
          'the rejected request changed the patient',
        );
        const requested = await archive('?end_care=true');
        assertHolds(requested.status === 202, `end_care=true: ${codeOf(requested)}`);
        assertHolds((await book(8)).status >= 400, 'a new appointment can be booked');
        const subscribed = await target.api(token, 'POST', '/subscriptions', { patient_id: id, price_ids: [plan.id] });
        assertHolds(subscribed.status >= 400, 'a new subscription can be created');
        const deadline = performance.now() + PATIENCE_MS;
        let last = requested;
        while (last.status === 202 && performance.now() < deadline) {
          await sleep(250);
          last = await archive();
        }
        assertHolds(last.status === 200 && last.body.status === 'archived', `not archived: ${last.text.slice(0, 300)}`);
        const appointment = await api('GET', `/appointments/${appointmentId}`);
        assertHolds(appointment.status === 'canceled', `the appointment is ${appointment.status}`);
        const subscription = await api('GET', `/subscriptions/${subscriptionId}`);
        assertHolds(/canceled|expired/.test(subscription.status), `the subscription is ${subscription.status}`);
      },
    },
    {
      name: 'archives and unarchives a patient, whose old session and password work again',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const { token } = await target.clinic.application(['patients:write']);
        const email = target.newEmail();
        const patient = await people.byEmail(email);
        const archived = await target.api(token, 'DELETE', `/patients/${patient.id}/archive`);
        assertHolds(archived.status === 200, `not archived: ${archived.text}`);
        const unarchived = await target.api(token, 'POST', `/patients/${patient.id}/unarchive`, {});
        assertHolds(
          unarchived.status === 200 && unarchived.body.can_sign_in === false,
          `unarchived: ${unarchived.text.slice(0, 200)}`,
        );
        await sleep(1100);
        const session = await people.as(patient.source, patient.accessToken, 'GET', '');
        assertHolds(session.status === 401, `the session works again: ${session.status}`);
        const signedIn = await people.signIn(patient.source, email);
        assertHolds(signedIn.status === 401, `the password works again: ${signedIn.status}`);
      },
    },
    {
      name: 'signs up, before any invitation, as a patient that the API created',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const { token } = await target.clinic.application(['patients:read', 'patients:write']);
        const [email, attacker] = [target.newEmail(), target.newSource()];
        const created = await target.api(token, 'POST', '/patients', { email, first_name: 'Ada' });
        const common = { client_id: people.ids.credentials, email, attempt: newAttempt() };
        const signUp = { ...common, srp: register(OWN_PASSWORD), attributes: { first_name: 'Mallory' } };
        await people.post(attacker, '/credentials/sign_up', signUp);
        await people.post(attacker, '/credentials/reset', common);
        await target.mailbox.settle();
        assertHolds((await target.mailbox.codes(email)) === 0, 'a code was mailed, and with it a way in');
        const entered = await people.signIn(attacker, email, OWN_PASSWORD);
        assertHolds(entered.status !== 200, 'an attacker signed in');
        const patient = await target.api(token, 'GET', `/patients/${created.body.id}`);
        assertHolds(
          patient.body.can_sign_in === false && patient.body.first_name === 'Ada',
          patient.text.slice(0, 300),
        );
        const reader = await target.clinic.application(['patients:read']);
        const byReader = await target.api(reader.token, 'POST', `/patients/${created.body.id}/invite`, {});
        assertHolds(codeOf(byReader).startsWith('403'), `an application that only reads invites: ${codeOf(byReader)}`);
        const invited = await target.api(token, 'POST', `/patients/${created.body.id}/invite`, {});
        assertHolds(invited.status === 200, `the clinic cannot invite them: ${invited.text}`);
        const temporary = await target.mailbox.temporaryFor(email);
        const attackers = await people.signIn(attacker, email, OWN_PASSWORD);
        assertHolds(attackers.status !== 200, 'the attacker’s password works after the invitation');
        const own = await people.signIn(target.newSource(), email, temporary);
        assertHolds(own.body?.new_password_required === true, `the invitation does not work: ${codeOf(own)}`);
      },
    },
    {
      name: 'sends an invitation with a link to a page that is not the clinic’s',
      async run(target) {
        const { token } = await target.clinic.application(['patients:write']);
        for (const confirmation_url of [
          'https://evil.example.test/invitation',
          'http://evil.example.test/invitation',
          'https://localhost@evil.example.test/',
          'https://evil.example.test#localhost',
          'javascript:alert(1)',
          '//evil.example.test',
        ]) {
          const body = { email: target.newEmail(), first_name: 'Ada', confirmation_url };
          const response = await target.api(token, 'POST', '/patients/invite', body);
          assertHolds(response.status === 422 || response.status === 400, `${confirmation_url}: ${response.status}`);
        }
        const text = { phone_number: target.newNumber(), passwordless_login_url: 'https://evil.example.test/' };
        const texted = await target.api(token, 'POST', '/patients/invite', text);
        assertHolds(texted.status === 422, `by text: ${texted.status}`);
        const invitation = 'https://evil.example.test/';
        const pages = { invitation, reset: null, confirmation: null };
        const set = await target.clinic.portal('POST', 'applications.setAppAddresses', pages);
        assertHolds(set.status >= 400 && set.status < 500, `the clinic's own pages: ${set.status}`);
      },
    },
    {
      name: 'gets an error that does not say what is wrong',
      async run(target) {
        const { token } = await target.clinic.application(['admin']);
        const missing = await expectErrors(target, token, 'GET', '/availability');
        for (const { source } of missing.errors)
          assertHolds(Boolean(source?.parameter) && !source?.pointer, `a missing parameter: ${JSON.stringify(source)}`);
        const ids = [`/patients/${UNKNOWN_ID}x`, '/patients/x', '/subscriptions/%00', '/appointments/x'];
        for (const path of ids) {
          const { status, errors } = await expectErrors(target, token, 'GET', path);
          assertHolds(status === 404 && errors[0]?.code === 'not_found', `${path}: ${status} ${errors[0]?.code}`);
        }
        const dated = await expectErrors(target, token, 'POST', '/patients', { birth_date: '2023-02-30', email: 7 });
        const pointers = dated.errors.map(({ source }) => source?.pointer);
        assertHolds(new Set(pointers).size === pointers.length, `a field has several faults: ${pointers}`);
        const date = dated.errors.find(({ source }) => source?.pointer?.includes('birth_date'));
        assertHolds(/day|date|calendar/i.test(date?.detail ?? ''), `a rejected date does not say why: ${date?.detail}`);
      },
    },
    {
      name: 'gets a message about the email address for a wrong old password',
      async run(target) {
        const { people } = target.clinic;
        const { source, accessToken, email } = await target.ada();
        const start = { client_id: people.ids.credentials, email, A: register(PASSWORD).verifier };
        const { handshake } = (await people.post(source, '/credentials/srp/start', start)).body;
        const body = { handshake, M1: 'ab'.repeat(32), srp: register(OWN_PASSWORD) };
        const response = await people.as(source, accessToken, 'PUT', '/password', body);
        assertHolds(codeOf(response) === '401 invalid_credentials', codeOf(response));
        assertHolds(!/e-?mail/i.test(response.body.errors[0].detail), response.body.errors[0].detail);
      },
    },
  ],
};
