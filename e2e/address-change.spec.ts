import type { Browser, Page } from '@playwright/test';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { expectAccessible } from './accessible.ts';
import type { Api } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { awaitCode, awaitMail, awaitText, linkIn } from './inbox.ts';
import {
  enterCode,
  expectErrorMessage,
  expectSignedIn,
  newEmail,
  newPhone,
  openPlayground,
  PASSWORD,
  patientsWithPhone,
  requestCode,
  signInByEmail,
  signUpByEmail,
} from './playground.ts';
import type { Watch } from './watch.ts';

const NEW_PASSWORD = 'eight louder rivers run';

/** Opens the page behind a link in a phone-sized browser. */
async function openOnPhone(browser: Browser, watch: Watch, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  watch.follow(context);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Asserts that the page does not scroll horizontally. */
async function expectToFit(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

async function changeEmail(page: Page, to: string): Promise<void> {
  await page.getByRole('button', { name: 'Change email' }).click();
  await page.getByLabel('New email address').fill(to);
  const since = new Date().toISOString();
  await page.getByRole('button', { name: 'Email a code there' }).click();
  await expect(page.getByText(`We emailed a code to ${to}`)).toBeVisible();
  await enterCode(page, await awaitCode(to, since), 'Verify');
  await expect(page.getByText(to)).toBeVisible();
}

/**
 * Signs up by text message and changes the number.
 * @returns the undo link that the first number received
 */
async function changePhone(page: Page, api: Api, from: string, to: string): Promise<string> {
  await openPlayground(page);
  await enterCode(page, await requestCode(page, from), 'Sign in');
  await expectSignedIn(page);
  await page.getByRole('button', { name: 'Change phone' }).click();
  await page.getByLabel('New mobile number').fill(to);
  let since = new Date().toISOString();
  await page.getByRole('button', { name: 'Text a code there' }).click();
  await page.getByLabel('Code', { exact: true }).waitFor();
  const code = await awaitCode(to, since);
  since = new Date().toISOString();
  await enterCode(page, code, 'Verify');
  await expect(async () => expect(await patientsWithPhone(api, to)).toHaveLength(1)).toPass();
  return linkIn({ subject: '', text: await awaitText(from, since) });
}

test('an unwanted email change is undone from the old address, and the patient continues with a new password', async ({
  page,
  browser,
  watch,
}) => {
  test.slow();
  watch.allow(/401|400/);
  const [email, attackersEmail] = [newEmail(), newEmail()];
  await signUpByEmail(page, email);
  await changeEmail(page, attackersEmail);

  await expect(async () => expect((await awaitMail(email)).subject).toContain('was changed')).toPass();
  const phone = await openOnPhone(browser, watch, linkIn(await awaitMail(email)));
  await expect(phone.getByRole('heading', { level: 1, name: /Was it you who changed your email/ })).toBeVisible();
  expect(phone.url(), 'the token leaves the address bar').toBe(`${readCard().portal_url}/undo`);
  await expect(phone.getByText('you sign in with your password, and choose a new one')).toBeVisible();
  await expectAccessible(phone);
  await expectToFit(phone);
  await phone.reload();
  await phone.getByRole('button', { name: 'It was not me: undo it' }).click();
  const done = phone.getByRole('heading', { level: 1, name: 'The change is undone' });
  await expect(done).toBeFocused();
  await expect(phone.getByText('use your password in the app')).toBeVisible();
  await expectAccessible(phone);
  await expectToFit(phone);
  await phone.reload();
  await expect(done, 'also after a reload').toBeVisible();

  // Every session of the account has ended.
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeHidden();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('radio', { name: 'Email' }).click();
  await page.getByLabel('Email address').fill(attackersEmail);
  await signInByEmail(page, PASSWORD);
  await expectErrorMessage(page, 'invalid_credentials');
  await page.getByLabel('Email address').fill(email);
  await signInByEmail(page, PASSWORD);
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await page.getByLabel('The password you have just used').fill(PASSWORD);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expectSignedIn(page);
  await expect(page.getByText(email)).toBeVisible();
  await phone.context().close();
});

test('staff help a patient without a password, and one who lost the phone', { tag: '@prove' }, async ({
  page,
  visitor,
  browser,
  api,
  signIn,
  watch,
}) => {
  test.slow();
  watch.allow(/401|400/);
  const [number, attackersPhone, newNumber] = [await newPhone(api), await newPhone(api), await newPhone(api)];
  const link = await changePhone(visitor, api, number, attackersPhone);
  const [patient] = await patientsWithPhone(api, attackersPhone);
  const phone = await openOnPhone(browser, watch, link);
  await expect(phone.getByText(`the phone number that ends in ${number.slice(-4)}`).first()).toBeVisible();
  await phone.getByRole('button', { name: 'It was not me: undo it' }).click();
  await expect(phone.getByText('The team makes sure that it is you, and helps.')).toBeVisible();
  expect(await patientsWithPhone(api, number)).toHaveLength(1);

  await signIn('practitioner');
  await page.goto(`/patients/${patient!.id}`);
  const card = page.getByRole('region', { name: 'Sign-in' });
  await expect(card.getByText('Locked after an undone change')).toBeVisible();
  await card.getByRole('button', { name: 'Help with signing in' }).click();
  const dialog = page.getByRole('dialog', { name: /^Help .* with signing in$/ });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Help with signing in' }).click();
  await expect(dialog.getByRole('textbox', { name: 'How did you make sure who it is?' })).toBeFocused();
  await dialog.getByLabel('How did you make sure who it is?').fill('Passport, shown at the front desk');
  await dialog.getByRole('textbox', { name: 'Phone number' }).fill(newNumber);
  const since = new Date().toISOString();
  await dialog.getByRole('button', { name: 'Help with signing in' }).click();
  await expect(dialog).toBeHidden();
  expect(await awaitText(newNumber, since)).toContain('sign in to the app with this phone number');
  await expect(card.getByText('Locked after an undone change')).toBeHidden();
  await card.getByText('Help with signing in', { exact: true }).last().click();
  await expect(card.getByText('Passport, shown at the front desk')).toBeVisible();

  await visitor.reload();
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.getByLabel('Mobile number').fill(newNumber);
  const requestedAt = new Date().toISOString();
  await visitor.getByRole('button', { name: 'Text me a code' }).click();
  await enterCode(visitor, await awaitCode(newNumber, requestedAt), 'Sign in');
  await expectSignedIn(visitor);
  await phone.context().close();
});

test('a change on a device that the account does not know requires a new sign-in', { tag: '@prove' }, async ({
  page,
  api,
  watch,
}) => {
  watch.allow(/403/);
  await openPlayground(page);
  await enterCode(page, await requestCode(page, await newPhone(api)), 'Sign in');
  await expectSignedIn(page);
  // Simulates an attacker who has a copy of the session and nothing else.
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) if (name.endsWith('.kept')) localStorage.removeItem(name);
  });
  await page.getByRole('button', { name: 'Change phone' }).click();
  await page.getByLabel('New mobile number').fill(await newPhone(api));
  await page.getByRole('button', { name: 'Text a code there' }).click();
  await expectErrorMessage(page, 'proof_required');
});

test('an expired, truncated or forged link says so, and how to continue', { tag: '@prove' }, async ({
  visitor,
  api,
  page,
  watch,
}) => {
  watch.allow(/404/);
  const link = await changePhone(page, api, await newPhone(api), await newPhone(api));
  const stubState = (change: Partial<AddressChangeView>) =>
    visitor.route('**/api/links/addressChanges.open', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...change } });
    });
  const STATES: [Partial<AddressChangeView>, string][] = [
    [{ state: 'over' }, 'This link does not work any more'],
    [{ state: 'undone', restored: true, needs: null }, 'The change is undone'],
    [{ state: 'undone', restored: false, needs: 'clinic' }, 'Your account is safe, but locked'],
  ];
  for (const [state, title] of STATES) {
    await stubState(state);
    await visitor.goto('about:blank');
    await visitor.goto(link);
    await expect(visitor.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(visitor.getByRole('button')).toHaveCount(0);
    await expectAccessible(visitor);
    await visitor.unrouteAll();
  }
  for (const url of [`${link}x`, '/undo#', '/undo#made-up']) {
    await visitor.goto('about:blank');
    await visitor.goto(new URL(url, readCard().portal_url).href);
    await visitor.evaluate(() => sessionStorage.clear());
    await visitor.reload();
    await expect(visitor.getByText('This link does not work')).toBeVisible();
    await expectAccessible(visitor);
  }
});
