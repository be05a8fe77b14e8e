import { readCard } from './card.ts';
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
  signUpByEmail,
  startBooking,
} from './playground.ts';

const NEW_PASSWORD = 'eight louder rivers run';

test('by phone: from sign-up to a paid plan, a rescheduled appointment, and its waiting room', async ({
  page,
  api,
}) => {
  const phone = await newPhone(api);
  await openPlayground(page);
  expect(page.url(), 'the tokens leave the address bar').toBe(`${readCard().portal_url}/playground`);
  const code = await requestCode(page, phone);
  await page.reload();
  await enterCode(page, code, 'Sign in');
  await expectSignedIn(page);
  const [patient] = await patientsWithPhone(api, phone);
  expect(patient).toMatchObject({ first_name: 'Ada', phone_number: phone, phone_number_verified: true });

  await openTab(page, 'Plan');
  await page.getByRole('radio', { name: /Essential care.*\$49\.00 per month/ }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByLabel('Card number').waitFor();
  await page.reload();
  await payByCard(page, '4242424242424242');
  await expect(page.getByRole('region', { name: 'Your plan' }).getByText('Active')).toBeVisible();
  expect(await api.call(`/subscriptions?patient_id=${patient!.id}`)).toMatchObject([{ status: 'active' }]);

  await startBooking(page);
  await chooseDay(page);
  const bookedFor = await chooseSlot(page, 'last');
  await page.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByRole('list', { name: 'Your appointments' }).getByRole('listitem')).toHaveCount(1);
  const [booked] = await api.appointmentsOf(patient!.id);
  expect(Date.parse(booked!.from_date)).toBe(Date.parse(bookedFor));

  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.reload();
  await chooseDay(page);
  const rescheduledTo = await chooseSlot(page, 'first');
  await page.getByRole('button', { name: /^Move to / }).click();
  const join = page.getByRole('link', { name: 'Join' });
  await expect(join).toBeVisible();
  const [rescheduled] = await api.appointmentsOf(patient!.id);
  expect(rescheduled).toMatchObject({ id: booked!.id, video_call_url: booked!.video_call_url });
  expect(Date.parse(rescheduled!.from_date)).toBe(Date.parse(rescheduledTo));

  const popup = page.waitForEvent('popup');
  await join.click();
  const waitingRoom = await popup;
  await expect(
    waitingRoom.getByRole('heading', { level: 1, name: `Your visit with ${rescheduled!.calendar}` }),
  ).toBeVisible();
  await waitingRoom.close();

  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel this appointment' }).click();
  await expect(page.getByText('No upcoming appointments')).toBeVisible();
  expect(await api.appointmentsOf(patient!.id)).toEqual([]);
});

test('another code may be requested after half a minute, and only the last one counts', { tag: '@prove' }, async ({
  page,
  api,
  watch,
}) => {
  test.slow();
  watch.allow(/422/);
  const phone = await newPhone(api);
  await openPlayground(page);
  const first = await requestCode(page, phone);
  await expect(page.getByRole('button', { name: /^Send another in \d+ s$/ })).toBeDisabled();
  const resend = page.getByRole('button', { name: 'Send another code' });
  await expect(resend).toBeEnabled({ timeout: 40_000 });
  const since = new Date().toISOString();
  await resend.click();
  await expect(page.getByText('Another code is on its way.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Send another in \d+ s$/ })).toBeDisabled();
  const second = await awaitCode(phone, since);
  await enterCode(page, first === second ? '000000' : first, 'Sign in');
  await expectErrorMessage(page, 'invalid_code');
  await enterCode(page, second, 'Sign in');
  await expectSignedIn(page);
});

test('by email: confirmation, an edited profile, new addresses and passwords', async ({ page, api }) => {
  test.slow();
  const [email, secondEmail] = [newEmail(), newEmail()];
  await openPlayground(page);
  await page.getByRole('radio', { name: 'Email' }).click();
  await page.getByLabel('First name').fill('Maple');
  await page.getByLabel('Last name').fill('Example');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  let since = new Date().toISOString();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We emailed a code to ${email}`)).toBeVisible();
  await page.reload();
  await enterCode(page, await awaitCode(email, since), 'Confirm');
  await expect(page.getByText('Your email is confirmed')).toBeVisible();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
  await expectSignedIn(page);

  await page.getByLabel('First name').fill('Juniper');
  await page.getByLabel('Date of birth').fill('1990-04-12');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();

  await page.getByRole('button', { name: 'Change email' }).click();
  await page.getByLabel('New email address').fill(secondEmail);
  since = new Date().toISOString();
  await page.getByRole('button', { name: 'Email a code there' }).click();
  await expect(page.getByText(`We emailed a code to ${secondEmail}`)).toBeVisible();
  await page.reload();
  await enterCode(page, await awaitCode(secondEmail, since), 'Verify');
  await expect(page.getByText(secondEmail)).toBeVisible();

  const phone = await newPhone(api);
  await page.getByRole('button', { name: 'Add phone' }).click();
  await page.getByLabel('New mobile number').fill(phone);
  since = new Date().toISOString();
  await page.getByRole('button', { name: 'Text a code there' }).click();
  await page.getByLabel('Code', { exact: true }).waitFor();
  await enterCode(page, await awaitCode(phone, since), 'Verify');
  await expect(page.getByText('Verified')).toHaveCount(2);
  expect(await patientsWithEmail(api, secondEmail)).toMatchObject([
    { first_name: 'Juniper', birth_date: '1990-04-12', email_verified: true, phone_number: phone },
  ]);

  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password is changed')).toBeVisible();
  await openTab(page, 'Profile');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();
});

test('by email: an emailed code replaces a forgotten password', { tag: '@prove' }, async ({ page }) => {
  test.slow();
  const email = newEmail();
  await signUpByEmail(page, email);
  const mailedAt = Date.now();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();

  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('radio', { name: 'Email' }).click();
  await page.getByRole('button', { name: 'Forgotten password?' }).click();
  await page.getByLabel('Email address').fill(email);
  // Two codes to one address must be half a minute apart.
  await page.waitForTimeout(Math.max(0, mailedAt + 31_000 - Date.now()));
  const since = new Date().toISOString();
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await awaitCode(email, since));
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expectSignedIn(page);
});

test('a trial saves a card, charges nothing and is canceled', { tag: '@prove' }, async ({ page, api }) => {
  const phone = await newPhone(api);
  await openPlayground(page);
  await enterCode(page, await requestCode(page, phone), 'Sign in');
  await expectSignedIn(page);
  await openTab(page, 'Plan');
  await page.getByRole('radio', { name: /days free/ }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await expect(page.getByText('Nothing is charged today.')).toBeVisible();
  await payByCard(page, '4242424242424242');
  await expect(page.getByRole('region', { name: 'Your plan' }).getByText('Trial')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByText(/^Ends on /)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('radio', { name: /^Now/ }).click();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByRole('radiogroup', { name: 'Plans' })).toBeVisible();
  const [patient] = await patientsWithPhone(api, phone);
  expect(await api.call(`/subscriptions?patient_id=${patient!.id}`)).toMatchObject([{ status: 'canceled' }]);
});

test('staff open the playground from the tokens of the portal', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  const popup = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the playground' }).click();
  const playground = await popup;
  await expect(playground.getByLabel('Mobile number')).toBeVisible();
});

test('without tokens the page says where they are, and explains why wrong ones are rejected', async ({ page }) => {
  const tokens = new URLSearchParams(new URL(readCard().playground_url).hash.slice(1));
  const [phone, email] = [tokens.get('passwordless') ?? '', tokens.get('credentials') ?? ''];
  await page.goto('/playground');
  await expect(page.getByRole('heading', { name: 'Which clinic?' })).toBeVisible();
  await expect(page.getByRole('link', { name: /API credentials/ })).toHaveAttribute('href', '/settings/credentials');
  for (const [first, second, code] of [
    ['nonsense', email, 'malformed_configuration'],
    [phone.slice(0, -9), email, 'truncated_configuration'],
    [email, phone, 'wrong_flow'],
    [phone.replace('care_sandbox_', 'care_production_'), email, 'wrong_environment'],
  ]) {
    await page.getByLabel('Sign-in by text message').fill(first!);
    await page.getByLabel('Sign-in by email and password').fill(second!);
    await page.getByRole('button', { name: 'Open the playground' }).click();
    await expect(page.getByRole('alert').filter({ hasText: code! })).toBeVisible();
  }
  await page.getByLabel('Sign-in by text message').fill(phone);
  await page.getByLabel('Sign-in by email and password').fill(email);
  await page.getByRole('button', { name: 'Open the playground' }).click();
  await expect(page.getByLabel('Mobile number')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Mobile number')).toBeVisible();
});

test('under another host name of this machine the page says where it works', { tag: '@prove' }, async ({ page }) => {
  const { playground_url, portal_url } = readCard();
  await page.goto(playground_url.replace('//localhost', '//127.0.0.1'));
  await expectErrorMessage(page, 'other_address');
  await expect(page.getByText(`Open the playground there: ${portal_url}/playground`)).toBeVisible();
});

test('the listed requests contain no code, token or password', async ({ page, api }) => {
  await openPlayground(page);
  const code = await requestCode(page, await newPhone(api));
  await enterCode(page, code, 'Sign in');
  await expectSignedIn(page);
  const requests = page.getByRole('list', { name: /^Requests/ });
  await expect(requests.getByText('/identity/passwordless/complete')).toBeVisible();
  const text = await requests.innerText();
  expect(text).not.toContain(code);
  expect(text).not.toMatch(/eyJ|[?&=]/);
  await expect(page.getByRole('group', { name: 'profile.ts' })).toContainText("'/patients/me'");
});
