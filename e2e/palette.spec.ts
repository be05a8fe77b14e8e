import type { Page } from '@playwright/test';
import { patientName } from './api.ts';
import { staffOf } from './card.ts';
import { blockLiveChanges, expect, fillSignIn, openListening, test } from './fixtures.ts';
import { focused, hidden, press, visible } from './press.ts';
import { ASSERTS_SPEED } from './prove.ts';

/** Opens Plans without idle time to preload anything; scripts are delayed between `hold` and `release`. */
async function openWithoutPreload(page: Page): Promise<{ hold: () => void; release: () => void }> {
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  await page.goto('/plans');
  await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor();
  await page.waitForLoadState('networkidle');
  let release = () => {};
  let released = Promise.resolve();
  await page.route('**/_next/static/**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  const hold = () => {
    released = new Promise((resolve) => {
      release = resolve;
    });
  };
  hold();
  return { hold, release: () => release() };
}

test('input during the palette’s load is not lost, Enter included', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  const scripts = await openWithoutPreload(page);
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(patient.last_name ?? '');
  await expect(page.getByRole('dialog'), 'it is still loading').toBeHidden();
  scripts.release();
  await expect(page.getByRole('combobox')).toHaveValue(patient.last_name ?? '');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.getByRole('option', { name: patientName(patient), selected: true }).waitFor();

  // The page handles keys once its scripts run, and then requests its rows.
  const rowsLoaded = page.waitForResponse(/\/api\/trpc\//);
  await page.reload();
  await rowsLoaded;
  await page.waitForLoadState('networkidle');
  scripts.hold();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(patient.last_name ?? '');
  await page.keyboard.press('Enter');
  scripts.release();
  await expect(page.getByRole('heading', { level: 1, name: patientName(patient) })).toBeVisible();
});

test('Escape cancels the palette while it loads, and keys belong to the page again', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('practitioner');
  await openWithoutPreload(page);
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('rive');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('care');
  await expect(page.getByRole('searchbox')).toHaveValue('care');
});

test('once the page is idle, palette and menus open without loading anything', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  // Changes by the previous test would cause requests while the menu is timed.
  await blockLiveChanges(page);
  await signIn('practitioner');
  const loaded: string[] = [];
  page.on('request', (request) => request.resourceType() === 'script' && loaded.push(request.url()));
  const menu = page.getByRole('button', { name: /Practitioner/ });
  const openMenu = async () => {
    const start = Date.now();
    await menu.dispatchEvent('click');
    await page.getByRole('menu').waitFor();
    const ms = Date.now() - start;
    await press(page, 'Escape', hidden(page.getByRole('menu')));
    await page.getByRole('menu').waitFor({ state: 'detached' });
    return ms;
  };
  // A single slow attempt may be due to the machine; a slow page is slow at each first opening.
  await expect(async () => {
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await page.waitForLoadState('networkidle');
    // The latest time at which it is loaded.
    await page.waitForTimeout(3500);
    loaded.length = 0;
    const [first, second] = [await openMenu(), await openMenu()];
    if (ASSERTS_SPEED)
      expect(first, 'milliseconds until the menu is there, as the second time').toBeLessThan(second * 3 + 200);
  }).toPass({ intervals: [0], timeout: 40_000 });
  await press(page, 'ControlOrMeta+k', focused(page.getByRole('combobox')));
  expect(loaded).toEqual([]);
});

test('the palette finds the appointments and subscriptions of a patient', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await api.subscribe(patient.id, 'paid');
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await openListening(page, '/plans');
  // The page has a list to choose from, too.
  const input = page.getByRole('dialog').getByRole('combobox');
  await press(page, 'ControlOrMeta+k', visible(input));
  await input.fill(patient.last_name ?? '');
  const options = (group: string) => page.getByRole('group', { name: group }).getByRole('option');
  await expect(options('Patients')).toHaveCount(1);
  await expect(options('Appointments')).toContainText(`${appointment.appointment_type}, ${patientName(patient)}`);
  await expect(options('Subscriptions')).toContainText(`Awaiting payment, ${patientName(patient)}`);
  await options('Appointments').click();
  await expect(page).toHaveURL(new RegExp(`/appointments/${appointment.id}$`));
  await expect(page.getByRole('link', { name: patientName(patient) })).toBeVisible();
  await api.cancelAppointment(appointment.id);
});

test('the palette runs actions: a new patient, a booking, a subscription, the theme, the reference, signing out', {
  tag: '@prove',
}, async ({ page, context }) => {
  // A session of its own, because the test ends it.
  await page.goto('/sign-in');
  await fillSignIn(page, staffOf('practitioner'));
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  // The page is rendered before its script handles keys.
  await page.waitForLoadState('networkidle');
  const runAction = async (query: string, name: string) => {
    // A dialog that is still fading out has fields of its own.
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox')));
    await page.getByRole('combobox').fill(query);
    await page.getByRole('option', { name }).click();
  };
  await runAction('new', 'New patient');
  await expect(page.getByRole('dialog', { name: 'Add patient' })).toBeVisible();
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await runAction('book', 'Book appointment');
  await expect(page.getByRole('dialog', { name: 'Book an appointment' })).toBeVisible();
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await runAction('subscribe', 'New subscription');
  await expect(page.getByRole('dialog', { name: 'New subscription' })).toBeVisible();
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await runAction('dark', 'Dark theme');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const reference = context.waitForEvent('page');
  await runAction('reference', 'API reference');
  await expect((await reference).getByRole('heading', { level: 1, name: 'Build on Carelane' })).toBeVisible();
  await runAction('sign out', 'Sign out');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in to your clinic' })).toBeVisible();
});

test('keys open every page, and a sheet lists them', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  await page.keyboard.press('c');
  await expect(page.getByRole('dialog', { name: 'What is new?' }).getByRole('option')).toContainText([
    /New patient|Invite/,
  ]);
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await expect(sheet.getByText('Appointments')).toBeVisible();
  await press(page, 'Escape', hidden(sheet));
  const row = (at: number) => page.getByRole('table', { name: 'Patients' }).getByRole('row').nth(at).getByRole('link');
  await page.goto('/patients');
  await row(2).first().waitFor();
  for (const [key, at] of [
    ['j', 1],
    ['j', 2],
    ['k', 1],
    ['k', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(row(at).first()).toBeFocused();
  }
  const href = await row(1).first().getAttribute('href');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${href}`);
  await page.goto('/plans');
  await page.getByRole('searchbox').fill('');
  await page.getByRole('searchbox').pressSequentially('gc?');
  await expect(page.getByRole('searchbox')).toHaveValue('gc?');
  await expect(page.getByRole('dialog')).toBeHidden();
});
