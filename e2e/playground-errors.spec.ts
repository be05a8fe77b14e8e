import type { Page } from '@playwright/test';
import type { AvailabilityView } from '#contract/availability.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { chooseDay, chooseSlot } from './choose-slot.ts';
import { expect, test } from './fixtures.ts';
import { awaitCode } from './inbox.ts';
import {
  enterCode,
  expectErrorMessage,
  expectSignedIn,
  newEmail,
  newPhone,
  openPlayground,
  openTab,
  PASSWORD,
  patientsWithEmail,
  patientsWithPhone,
  payByCard,
  requestCode,
  signUpByPhone,
  startBooking,
} from './playground.ts';

const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** The service processes the next such request, but its response is lost. */
async function loseResponse(page: Page, path: string): Promise<void> {
  let isLost = false;
  await page.route(
    ({ pathname }) => pathname.endsWith(path),
    async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.fallback();
      isLost = true;
      await route.fetch();
      return route.abort('connectionreset');
    },
  );
}

test.describe('errors are explained, and nothing is left incomplete', () => {
  test('a wrong code, and another requested too soon', async ({ page, api, watch }) => {
    watch.allow(/422/);
    watch.allow(/429/);
    const phone = await newPhone(api);
    await openPlayground(page);
    const code = await requestCode(page, phone);
    await enterCode(page, wrongCode(code), 'Sign in');
    await expectErrorMessage(page, 'invalid_code');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Mobile number').fill(phone);
    await page.getByRole('button', { name: 'Text me a code' }).click();
    await expectErrorMessage(page, 'rate_limited');
  });

  test('a code that was used, and one that has expired', { tag: '@prove' }, async ({ page, api, watch }) => {
    watch.allow(/422/);
    const phone = await newPhone(api);
    await openPlayground(page);
    const code = await requestCode(page, phone);
    const screen = await page.evaluate(() => sessionStorage.getItem('carelane.playground.screen'));
    await page.route('**/identity/passwordless/complete', (route) => route.fulfill({ status: 422, json: EXPIRED }), {
      times: 1,
    });
    await enterCode(page, code, 'Sign in');
    await expectErrorMessage(page, 'expired_code');
    await enterCode(page, code, 'Sign in');
    await expectSignedIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByText('You are signed out.')).toBeVisible();
    await page.evaluate((stored) => sessionStorage.setItem('carelane.playground.screen', stored ?? ''), screen);
    await page.reload();
    await enterCode(page, code, 'Sign in');
    await expectErrorMessage(page, 'invalid_code');
    expect(await patientsWithPhone(api, phone)).toHaveLength(1);
  });

  test('numbers that get no text messages', { tag: '@prove' }, async ({ page }) => {
    await openPlayground(page);
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Example');
    for (const [number, code] of [
      ['(900) 555-0123', 'phone_number_not_supported'],
      ['876-555-0123', 'phone_number_not_supported'],
      ['12', 'invalid_phone_number'],
    ]) {
      await page.getByLabel('Mobile number').fill(number!);
      await page.getByRole('button', { name: 'Text me a code' }).click();
      await expectErrorMessage(page, code!);
    }
    await expect(page.getByText('No requests yet')).toBeVisible();
  });

  test('passwords that are too easy, and one that is wrong', async ({ page, api, watch }) => {
    watch.allow(/401/);
    const email = newEmail();
    await openPlayground(page);
    await page.getByRole('radio', { name: 'Email' }).click();
    await page.getByLabel('First name').fill('Maple');
    await page.getByLabel('Last name').fill('Example');
    await page.getByLabel('Email address').fill(email);
    for (const [password, code] of [
      ['short', 'password_too_short'],
      ['password1234', 'password_too_common'],
      [`my ${email.split('@')[0]} word`, 'password_contains_email'],
    ]) {
      await page.getByLabel('Password').fill(password!);
      await page.getByRole('button', { name: 'Create account' }).click();
      await expectErrorMessage(page, code!);
    }
    expect(await patientsWithEmail(api, email)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expectErrorMessage(page, 'invalid_credentials');
  });

  test('a declined card, and then a good one', { tag: '@prove' }, async ({ page, api, watch }) => {
    watch.allow(/402/);
    const id = await signUpByPhone(page, api);
    await openTab(page, 'Plan');
    await page.getByRole('radio', { name: /Essential care.*\$49\.00 per month/ }).click();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await payByCard(page, '4000000000000002');
    await expectErrorMessage(page, 'card_declined');
    expect(await api.call(`/subscriptions?patient_id=${id}`)).toMatchObject([{ status: 'incomplete' }]);
    await payByCard(page, '4242424242424242');
    await expect(page.getByRole('region', { name: 'Your plan' }).getByText('Active')).toBeVisible();
    expect(await api.call(`/subscriptions?patient_id=${id}`)).toMatchObject([{ status: 'active' }]);
  });

  test('a slot that another patient took', { tag: '@prove' }, async ({ page, api, watch }) => {
    watch.allow(/409/);
    const id = await signUpByPhone(page, api);
    await startBooking(page);
    await chooseDay(page);
    const from = Date.parse(await chooseSlot(page, 'last'));
    const types = await api.call<{ id: number; name: string }[]>('/appointment_types');
    const type = types.find(({ name }) => name === 'Follow-up visit')!.id;
    const day = new Date(from - 86_400_000).toISOString().slice(0, 10);
    const slots = await api.call<AvailabilityView[]>(`/availability?appointment_type_id=${type}&from_date=${day}`);
    const rivalAppointments: { id: string }[] = [];
    for (const { calendar_id, from_date } of slots.filter((slot) => Date.parse(slot.from_date) === from)) {
      // A different patient for each practitioner: a patient cannot have two appointments at the same time.
      const { id: patient_id } = await api.createPatient('Rival');
      rivalAppointments.push(
        await api.call('/appointments', { patient_id, appointment_type_id: type, calendar_id, from_date }),
      );
    }
    expect(rivalAppointments.length).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Book / }).click();
    await expectErrorMessage(page, 'slot_taken');
    expect(await api.appointmentsOf(id)).toEqual([]);
    await page.getByText('Free nearby:').getByRole('button').first().click();
    await page.getByRole('button', { name: /^Book / }).click();
    await expect(page.getByRole('link', { name: 'Join' })).toBeVisible();
    const appointments = await api.appointmentsOf(id);
    expect(appointments).toHaveLength(1);
    for (const appointment of [...rivalAppointments, ...appointments]) await api.cancelAppointment(appointment.id);
  });
});

const EXPIRED = {
  errors: [{ status: '422', code: 'expired_code', title: 'Expired code', detail: 'This code has expired.' }],
  request_id: '01936f60-1b2c-7d3e-8f4a-5b6c7d8e9f01',
};

test.describe('a connection that is lost in the middle of a step has no consequences', () => {
  test('for signing in: one patient, one session', { tag: '@prove' }, async ({ page, visitor, signIn, api, watch }) => {
    watch.allow(/ERR_CONNECTION_RESET|ERR_INTERNET_DISCONNECTED/);
    const phone = await newPhone(api);
    await openPlayground(visitor);
    const code = await requestCode(visitor, phone);
    await visitor.context().setOffline(true);
    await enterCode(visitor, code, 'Sign in');
    await expectErrorMessage(visitor, 'network');
    await visitor.context().setOffline(false);
    await loseResponse(visitor, '/identity/passwordless/complete');
    await enterCode(visitor, code, 'Sign in');
    await expectErrorMessage(visitor, 'network');
    await visitor.reload();
    await enterCode(visitor, code, 'Sign in');
    await expectSignedIn(visitor);
    const patients = await patientsWithPhone(api, phone);
    expect(patients).toHaveLength(1);
    await signIn('admin');
    await page.goto(`/patients/${patients[0]!.id}`);
    await expect(page.getByRole('list', { name: 'Signed in now' }).getByRole('listitem')).toHaveCount(1);
  });

  test('for a sign-up by email: one patient, one session', { tag: '@prove' }, async ({
    page,
    visitor,
    signIn,
    api,
    watch,
  }) => {
    watch.allow(/ERR_CONNECTION_RESET/);
    watch.allow(/403/);
    // A pending sign-up is verified after the account's password was rejected, which does not reveal the sign-up.
    watch.allow(/401/);
    const email = newEmail();
    await openPlayground(visitor);
    await visitor.getByRole('radio', { name: 'Email' }).click();
    await visitor.getByLabel('First name').fill('Maple');
    await visitor.getByLabel('Last name').fill('Example');
    await visitor.getByLabel('Email address').fill(email);
    await visitor.getByLabel('Password').fill(PASSWORD);
    const since = new Date().toISOString();
    await loseResponse(visitor, '/identity/credentials/sign_up');
    await visitor.getByRole('button', { name: 'Create account' }).click();
    await expectErrorMessage(visitor, 'network');

    const signInByEmail = async () => {
      await visitor.getByLabel('Email address').fill(email);
      await visitor.getByLabel('Password').fill(PASSWORD);
      await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signInByEmail();
    await expect(visitor.getByText(`We emailed a code to ${email}`)).toBeVisible();
    const code = await awaitCode(email, since);
    await loseResponse(visitor, '/identity/credentials/confirm');
    await enterCode(visitor, code, 'Confirm');
    await expectErrorMessage(visitor, 'network');
    await enterCode(visitor, code, 'Confirm');
    await expect(visitor.getByText('Your email is confirmed')).toBeVisible();

    await loseResponse(visitor, '/identity/credentials/srp/finish');
    await signInByEmail();
    await expectErrorMessage(visitor, 'network');
    await signInByEmail();
    await expectSignedIn(visitor);
    const patients = await patientsWithEmail(api, email);
    expect(patients).toHaveLength(1);
    await signIn('admin');
    await page.goto(`/patients/${patients[0]!.id}`);
    await expect(page.getByRole('list', { name: 'Signed in now' }).getByRole('listitem')).toHaveCount(1);
  });

  test('for subscribing and paying: one subscription, paid once', async ({ page, api, watch }) => {
    watch.allow(/ERR_CONNECTION_RESET/);
    watch.allow(/ERR_FAILED/);
    const id = await signUpByPhone(page, api);
    await openTab(page, 'Plan');
    await page.getByRole('radio', { name: /Essential care.*\$49\.00 per month/ }).click();
    await loseResponse(page, '/api/v1/subscriptions');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await expectErrorMessage(page, 'network');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByLabel('Card number').waitFor();
    await page.route(/\/api\/v1\/subscriptions\/sub_/, (route) => route.abort('failed'), { times: 1 });
    await payByCard(page, '4242424242424242');
    await expectErrorMessage(page, 'network');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('region', { name: 'Your plan' }).getByText('Active')).toBeVisible();
    const subscriptions = await api.call<SubscriptionView[]>(`/subscriptions?patient_id=${id}`);
    expect(subscriptions).toMatchObject([{ status: 'active' }]);
    expect(await api.subscription(subscriptions[0]!.id)).toMatchObject({ latest_invoice: { status: 'paid' } });
  });

  test('for booking and moving: one appointment', { tag: '@prove' }, async ({ page, api, watch }) => {
    watch.allow(/ERR_CONNECTION_RESET/);
    const id = await signUpByPhone(page, api);
    await startBooking(page);
    await chooseDay(page);
    await chooseSlot(page, 'last');
    await loseResponse(page, '/api/v1/appointments');
    await page.getByRole('button', { name: /^Book / }).click();
    await expectErrorMessage(page, 'network');
    await page.getByRole('button', { name: /^Book / }).click();
    await expect(page.getByRole('list', { name: 'Your appointments' }).getByRole('listitem')).toHaveCount(1);
    const [booked] = await api.appointmentsOf(id);
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await chooseDay(page);
    await chooseSlot(page, 'first');
    await loseResponse(page, '/reschedule');
    await page.getByRole('button', { name: /^Move to / }).click();
    await expectErrorMessage(page, 'network');
    await page.getByRole('button', { name: /^Move to / }).click();
    await expect(page.getByRole('link', { name: 'Join' })).toBeVisible();
    const appointments = await api.appointmentsOf(id);
    expect(appointments).toMatchObject([{ id: booked!.id, status: 'scheduled' }]);
    expect(appointments[0]!.from_date).not.toBe(booked!.from_date);
    await api.cancelAppointment(booked!.id);
  });
});

const denyStorage = () => {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
};
const fillStorage = () => {
  Storage.prototype.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
};

for (const [state, script] of [
  ['denied', denyStorage],
  ['full', fillStorage],
] as const)
  test(`with a storage that is ${state} a sign-in lasts as long as the page`, { tag: '@prove' }, async ({
    page,
    api,
  }) => {
    await page.addInitScript(script);
    const id = await signUpByPhone(page, api);
    await openTab(page, 'Appointments');
    await expect(page.getByText('No upcoming appointments')).toBeVisible();
    await openTab(page, 'Profile');
    await page.getByLabel('Date of birth').fill('1990-04-12');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved.')).toBeVisible();
    expect(await api.call(`/patients/${id}`)).toMatchObject({ birth_date: '1990-04-12' });
    await page.reload();
    await expect(page.getByLabel('Mobile number')).toBeVisible();
  });
