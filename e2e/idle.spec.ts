import type { Page } from '@playwright/test';
import { readCard, staffOf } from './card.ts';
import { blockLiveChanges, expect, fillSignIn, test } from './fixtures.ts';

const ACTIVITY_HEADER = 'x-carelane-act';

/** Opens a page in a session of this test's own, because it ends. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(`/sign-in?callbackUrl=${encodeURIComponent(address)}`);
  await fillSignIn(page, staffOf('practitioner'));
}

/** Advances the page's clock; the server's clock stays. */
const advanceClock = (page: Page, time: string) => page.clock.fastForward(time);

test('the page asks two minutes before a session ends, and typed input stays', async ({ page }) => {
  // Live changes would cause requests, and the server, whose clock stays, would report the remaining time again.
  await blockLiveChanges(page);
  await page.clock.install();
  await open(page, '/patients');
  // The page's script requests the rows, and handles presses from then on.
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().waitFor();
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  const warning = page.getByRole('alertdialog', { name: 'Are you still there?' });
  await advanceClock(page, '27:00');
  await expect(warning).toBeHidden();
  await advanceClock(page, '01:10');
  await expect(warning).toBeVisible();
  const reported = page.waitForRequest((request) => request.headers()[ACTIVITY_HEADER] === '1');
  await warning.getByRole('button', { name: 'Stay signed in' }).click();
  await reported;
  await expect(warning).toBeHidden();
  await expect(dialog.getByLabel('First name')).toHaveValue('Maple');
  await dialog.getByLabel('First name').press('End');
  await advanceClock(page, '27:00');
  await expect(warning).toBeHidden();
});

test('without a response by the user, a page is hidden when its session is over', {
  tag: '@prove',
}, async ({ page, watch }) => {
  watch.allow(/401/);
  // Live changes would cause requests, and the page would be hidden with the first 401.
  await blockLiveChanges(page);
  await page.clock.install();
  await open(page, '/patients');
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().waitFor();
  await page.context().clearCookies({ name: /session-token/ });
  await advanceClock(page, '28:10');
  await expect(page.getByRole('alertdialog', { name: 'Are you still there?' })).toBeVisible();
  await advanceClock(page, '02:00');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(dialog).toBeVisible();
  await expect(page.getByRole('table')).toHaveCount(0);
  await dialog.getByLabel('Password').fill(staffOf('practitioner').password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('table', { name: 'Patients' })).toBeVisible();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('automatic requests of a page do not count as activity; a key does', { tag: '@prove' }, async ({ page }) => {
  const activityFlags: boolean[] = [];
  await page.clock.install();
  await open(page, '/inbox');
  await page.waitForResponse(/inbox\.list/);
  await page.waitForLoadState('networkidle');
  page.on('request', (request) => {
    if (request.url().includes('/api/trpc/')) activityFlags.push(request.headers()[ACTIVITY_HEADER] === '1');
  });
  for (let minute = 0; minute < 5; minute += 1) {
    const polled = page.waitForResponse(/inbox\.list/);
    await advanceClock(page, '01:00');
    expect((await polled).headers()['set-cookie']).toBeUndefined();
  }
  expect(activityFlags).not.toContain(true);
  const reported = page.waitForRequest((request) => request.headers()[ACTIVITY_HEADER] === '1');
  await page.keyboard.press('Tab');
  await reported;
});

test('a second tab follows the sign-out of the first', async ({ page, context, watch }) => {
  // It may send one more request before it receives the message.
  watch.tolerate(/401.*\/api\/live/);
  await open(page, '/patients');
  await page.getByRole('table', { name: 'Patients' }).waitFor();
  const secondTab = await context.newPage();
  await secondTab.goto('/plans');
  await secondTab.getByRole('table', { name: 'Plans' }).waitFor();
  await page.getByRole('button', { name: /Practitioner/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(new RegExp(`^${readCard().portal_url}/sign-in$`));
  await expect(secondTab.getByRole('heading', { level: 1, name: 'Sign in to your clinic' })).toBeVisible();
  await expect(secondTab).toHaveURL(/\/sign-in$/);
});
