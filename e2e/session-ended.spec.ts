import type { Browser, Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { readCard, staffOf } from './card.ts';
import { expect, fillSignIn, test } from './fixtures.ts';

const PHONE = { width: 390, height: 800 };

/** Ends the page's session at the server, as a sign-out with a copy of its cookie does. The page does not know. */
async function endSession(page: Page, browser: Browser): Promise<void> {
  const storageState = await page.context().storageState();
  const { request, close } = await copyOf(browser, storageState);
  const { csrfToken } = await (await request.get('/api/auth/csrf')).json();
  await request.post('/api/auth/signout', { form: { csrfToken, json: 'true' } });
  await close();
}

async function copyOf(
  browser: Browser,
  storageState: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>,
) {
  const context = await browser.newContext({ storageState, baseURL: readCard().portal_url });
  return { request: context.request, close: () => context.close() };
}

/** Opens the list of patients in a session of this test's own, and begins to add a patient. */
async function beginPatient(page: Page, lastName: string) {
  await page.goto('/sign-in?callbackUrl=%2Fpatients');
  await fillSignIn(page, staffOf('practitioner'));
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().waitFor();
  await page.getByRole('button', { name: 'Add patient' }).click();
  const form = page.getByRole('dialog', { name: 'Add patient' });
  await form.getByLabel('First name').fill('Maple');
  await form.getByLabel('Last name').fill(lastName);
  return form;
}

const signInAgain = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });

/** Nothing of the page can be read or reached by keys. */
async function expectHidden(page: Page, text: string): Promise<void> {
  await expect(signInAgain(page)).toBeVisible();
  await expect(page).toHaveTitle('Carelane');
  await expect(page.getByRole('table', { includeHidden: false })).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  for (const media of ['print', 'screen'] as const) {
    await page.emulateMedia({ media });
    expect(await page.locator('body').innerText()).not.toContain(text);
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(1);
}

async function fillPassword(page: Page, { email, password } = staffOf('practitioner')): Promise<void> {
  const dialog = signInAgain(page);
  await expect(dialog.getByLabel('Email')).toHaveValue(email);
  await expect(dialog.getByLabel('Password')).toBeFocused();
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
}

async function expectFormAsItWas(page: Page, browser: Browser): Promise<void> {
  const lastName = `Again ${randomSuffix()}`;
  const form = await beginPatient(page, lastName);
  await endSession(page, browser);
  await form.getByRole('button', { name: 'Add patient' }).click();
  await expectHidden(page, lastName);
  await expectAccessible(page);
  await fillPassword(page);
  await expect(signInAgain(page)).toBeHidden();
  await expect(form.getByLabel('First name')).toHaveValue('Maple');
  await expect(form.getByLabel('Last name')).toHaveValue(lastName);
  await expect(form.getByText('You were signed out, so this was not done. Try again.')).toBeVisible();
  await form.getByRole('button', { name: 'Add patient' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Maple ${lastName}` })).toBeVisible();
}

test('the same user signs in again and finds the form as it was', async ({ page, browser, watch }) => {
  watch.allow(/401/);
  await expectFormAsItWas(page, browser);
});

test('the same user signs in again on a phone', { tag: '@prove' }, async ({ page, browser, watch }) => {
  watch.allow(/401/);
  await page.setViewportSize(PHONE);
  await expectFormAsItWas(page, browser);
});

test('another user gets a fresh page, without a question about what was typed', async ({ page, browser, watch }) => {
  watch.allow(/401/);
  await page.setViewportSize(PHONE);
  const questions: string[] = [];
  page.on('dialog', (question) => {
    questions.push(question.type());
    void question.accept();
  });
  const lastName = `Other ${randomSuffix()}`;
  const form = await beginPatient(page, lastName);
  await endSession(page, browser);
  await form.getByRole('button', { name: 'Add patient' }).click();
  await expectHidden(page, lastName);
  await signInAgain(page).getByRole('button', { name: 'Use another account' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in to your clinic' })).toBeVisible();
  expect(page.url()).toMatch(/\/sign-in$/);
  await fillSignIn(page, staffOf('admin'));
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(questions).toEqual([]);
});

test('one tab signs in again for all; a tab of another user becomes a fresh page', { tag: '@prove' }, async ({
  page,
  context,
  browser,
  watch,
}) => {
  watch.allow(/401/);
  const lastName = `Tabs ${randomSuffix()}`;
  const form = await beginPatient(page, lastName);
  const second = await context.newPage();
  await second.goto('/plans');
  await second.getByRole('table', { name: 'Plans' }).waitFor();
  await endSession(page, browser);
  await form.getByRole('button', { name: 'Add patient' }).click();
  await expectHidden(page, lastName);
  await expect(signInAgain(second)).toBeVisible();
  await fillPassword(second);
  await expect(second.getByRole('table', { name: 'Plans' })).toBeVisible();
  await expect(form.getByLabel('Last name')).toHaveValue(lastName);

  await second.goto('/sign-in');
  await fillSignIn(second, staffOf('admin'));
  await expect(second.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  expect(await page.locator('body').innerText()).not.toContain(lastName);
  await expect(page.getByRole('button', { name: /Admin/ })).toBeVisible();
});

test('a page finds out by its next call that another user has signed in', { tag: '@prove' }, async ({
  page,
  signIn,
  sessionOf,
  watch,
}) => {
  watch.allow(/401/);
  await signIn('practitioner');
  // Its own first call, when it is idle.
  const watching = page.waitForResponse(/session\.me/);
  await page.goto('/patients');
  await watching;
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().waitFor();
  await page.context().addCookies((await sessionOf('admin')).cookies);
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Admin/ })).toBeVisible();
});

test('a live page is hidden by itself when its session ends', { tag: '@prove' }, async ({ page, browser, watch }) => {
  watch.allow(/401/);
  const lastName = `Live ${randomSuffix()}`;
  const listening = page.waitForResponse(/\/api\/live/);
  const form = await beginPatient(page, lastName);
  await listening;
  await endSession(page, browser);
  await expectHidden(page, lastName);
  await fillPassword(page);
  await expect(form.getByLabel('Last name')).toHaveValue(lastName);
  await expect(form.getByLabel('Last name')).toBeFocused();
});
