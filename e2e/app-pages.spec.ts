import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS, randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { allowInvitations } from './invitations.ts';

const NO_PAGES = { invitation: null, reset: null, confirmation: null };

/** Restores the settings that other tests expect. */
test.afterEach(async ({ page, signIn }) => {
  await signIn('admin');
  const options = { headers: PORTAL_HEADERS, data: NO_PAGES };
  const response = await page.request.post('/api/trpc/applications.setAppAddresses', options);
  expect(response.ok()).toBe(true);
});

const pagesCard = (page: Page) => page.getByRole('region', { name: 'Pages of your app' });

async function listWebsite(page: Page, origin: string): Promise<void> {
  const card = page.getByRole('region', { name: 'Allowed origins' });
  await card.getByRole('textbox', { name: 'Website' }).fill(origin);
  await card.getByRole('button', { name: 'Add' }).click();
  await expect(card.getByRole('listitem').filter({ hasText: origin })).toBeVisible();
}

test('a page of the app is validated, saved, and not used once its website is no longer listed', async ({
  page,
  signIn,
  watch,
}) => {
  test.slow();
  watch.allow(/422/);
  const origin = `https://app-${randomSuffix()}.example.test`;
  await signIn('admin');
  await page.goto('/settings/credentials');
  const field = pagesCard(page).getByRole('textbox', { name: 'Forgotten passwords' });
  const save = pagesCard(page).getByRole('button', { name: 'Save pages' });
  const rejected: [text: string, reason: RegExp][] = [
    ['app.example.test/reset', /Write it whole, as in https:\/\/app\.example\.org\/invitation/],
    ['http://app.example.test/reset', /Begin it with https:\/\//],
    [`${origin}/#/reset`, /Leave out # and what follows/],
    [`${origin}/reset`, /is not one of your websites/],
  ];
  for (const [text, reason] of rejected) {
    await field.fill(text);
    await save.click();
    await expect(field).toHaveAccessibleDescription(reason);
    await expect(field).toBeFocused();
  }
  await expectAccessible(page);
  await listWebsite(page, origin);
  await field.fill(`${origin}/reset`);
  await save.click();
  await expect(page.getByText('Pages saved')).toBeVisible();
  await page.reload();
  await expect(field).toHaveValue(`${origin}/reset`);

  const origins = page.getByRole('region', { name: 'Allowed origins' });
  await origins.getByRole('button', { name: `Remove ${origin}` }).click();
  const confirmation = page.getByRole('alertdialog');
  await expect(confirmation.getByText('Messages that lead there no longer do.')).toBeVisible();
  await confirmation.getByRole('button', { name: 'Remove website' }).click();
  await expect(field).toHaveAccessibleDescription(/Not used now: its website is not among the allowed origins/);
  await expectAccessible(page);
});

test('an invitation leads to the page of the app that an admin names', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  test.slow();
  const origin = `https://app-${randomSuffix()}.example.test`;
  await signIn('admin');
  await allowInvitations(page);
  await listWebsite(page, origin);
  await pagesCard(page).getByRole('textbox', { name: 'Invitations' }).fill(`${origin}/join`);
  await pagesCard(page).getByRole('button', { name: 'Save pages' }).click();
  await expect(page.getByText('Pages saved')).toBeVisible();
  const patient = await api.createPatient();
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Invite to sign in' }).click();
  await expect(page.getByRole('button', { name: 'Send invitation again' })).toBeVisible();
  const mail = await awaitMail(patient.email ?? '');
  expect(linkIn(mail)).toMatch(new RegExp(`^${origin}/join#care_sandbox_`));
});
