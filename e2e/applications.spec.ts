import type { Locator, Page } from '@playwright/test';
import { randomSuffix, requestApi, requestToken, tokenOf } from './api.ts';
import { expect, test } from './fixtures.ts';
import { clickOutside, hidden, press, visible } from './press.ts';
import { promised } from './prove.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const SCOPE_LABELS = ['Read patients', 'Add and change patients'];

async function copyFrom(page: Page, button: Locator): Promise<string> {
  await button.click();
  await expect(button).toContainText('Copied');
  return page.evaluate(() => navigator.clipboard.readText());
}

async function createApplication(page: Page, name: string): Promise<{ id: string; secret: string }> {
  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  for (const label of SCOPE_LABELS) await dialog.getByRole('checkbox', { name: label }).check();
  await dialog.getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  const id = await copyFrom(page, ready.getByRole('button', { name: 'Copy client id' }));
  const secret = await copyFrom(page, ready.getByRole('button', { name: 'Copy client secret' }));
  await ready.getByRole('button', { name: 'I have saved it' }).click();
  await expect(ready).toBeHidden();
  return { id, secret };
}

/** A revocation reaches every process within a second. */
async function expectUnauthorized(send: () => Promise<Response>): Promise<void> {
  await expect.poll(async () => (await send()).status, { timeout: promised(1_000), intervals: [50] }).toBe(401);
}

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('an admin creates an application: the secret is shown once, and its token works at once', async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  const name = `Booking server ${randomSuffix()}`;
  const { id, secret } = await createApplication(page, name);
  const token = await tokenOf(await requestToken(id, secret));
  expect((await requestApi(token, '/patients')).status).toBe(200);
  await expect(page.locator('body')).not.toContainText(secret);
  await page.reload();
  await expect(page.getByRole('region', { name }).or(page.getByText(name)).first()).toBeVisible();
  await expect(page.locator('body')).not.toContainText(secret);
});

test('an application without the scope is rejected', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create application' });
  const name = `Reader ${randomSuffix()}`;
  await dialog.getByLabel('Name').fill(name);
  await expect(dialog.getByRole('checkbox', { checked: true }), 'no scope is selected by default').toHaveCount(0);
  await dialog.getByRole('checkbox', { name: 'Read patients' }).check();
  await dialog.getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  const id = await copyFrom(page, ready.getByRole('button', { name: 'Copy client id' }));
  const secret = await copyFrom(page, ready.getByRole('button', { name: 'Copy client secret' }));
  const token = await tokenOf(await requestToken(id, secret));
  expect((await requestApi(token, '/patients')).status).toBe(200);
  expect((await requestApi(token, '/patients', { first_name: 'Ada' })).status).toBe(403);

  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  await dialog.getByLabel('Name').fill(name.toUpperCase());
  await dialog.getByRole('button', { name: 'Create application' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Another application has this name/);
});

test('a secret is changed without downtime, and a revoked application is rejected within a second', {
  tag: '@prove',
}, async ({ page, signIn }) => {
  await signIn('admin');
  const name = `Records server ${randomSuffix()}`;
  const { id, secret: oldSecret } = await createApplication(page, name);

  await choose(page, name, 'New secret');
  const rotation = page.getByRole('dialog', { name: `New secret for ${name}` });
  await rotation.getByRole('button', { name: 'Make a new secret' }).click();
  const newSecret = await copyFrom(page, rotation.getByRole('button', { name: 'Copy client secret' }));
  await rotation.getByRole('button', { name: 'I have saved it' }).click();
  expect(newSecret).not.toBe(oldSecret);
  expect((await requestToken(id, oldSecret)).status).toBe(200);
  const token = await tokenOf(await requestToken(id, newSecret));

  const card = page.getByRole('region', { name });
  await card
    .getByRole('listitem')
    .filter({ hasText: `…${oldSecret.slice(-4)}` })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke secret' }).click();
  await expect(page.getByText('Secret revoked')).toBeVisible();
  await expectUnauthorized(() => requestToken(id, oldSecret));
  expect((await requestApi(token, '/patients')).status).toBe(200);

  await choose(page, name, 'Revoke application');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke application' }).click();
  await expect(page.getByText('Application revoked')).toBeVisible();
  await expectUnauthorized(() => requestApi(token, '/patients'));
  await expectUnauthorized(() => requestToken(id, newSecret));
  await expect(card.getByText('Revoked', { exact: true })).toBeVisible();
});

test('a dialog with a secret closes by its own button only', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  const name = `Careful server ${randomSuffix()}`;
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Read patients' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  await ready.getByText(/shown only once/).waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(ready).toBeVisible();
  await expect(ready.getByRole('button', { name: 'Close' })).toHaveCount(0);
  const beforeUnload = page.waitForEvent('dialog');
  void page.reload().catch(() => {});
  const unloadDialog = await beforeUnload;
  expect(unloadDialog.type()).toBe('beforeunload');
  await unloadDialog.dismiss();
  await ready.getByRole('button', { name: 'I have saved it' }).click();
  await expect(ready).toBeHidden();
});

test('name and scopes are changed later, and a removed scope is rejected within a second', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  const name = `Changing server ${randomSuffix()}`;
  const { id, secret } = await createApplication(page, name);
  const token = await tokenOf(await requestToken(id, secret));
  await choose(page, name, 'Change name and rights');
  const dialog = page.getByRole('dialog', { name: `Change ${name}` });
  await dialog.getByLabel('Name').fill(`${name} two`);
  await dialog.getByRole('checkbox', { name: 'Add and change patients' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Read appointments and free times' }).check();
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Application changed')).toBeVisible();
  const card = page.getByRole('region', { name: `${name} two` });
  await expect(card.getByText('Read appointments and free times')).toBeVisible();
  await expect(card.getByText('Add and change patients')).toHaveCount(0);
  const create = () => requestApi(token, '/patients', { first_name: 'Ada' });
  await expect.poll(async () => (await create()).status, { timeout: promised(1_000), intervals: [50] }).toBe(403);
  expect((await requestApi(token, '/patients')).status).toBe(200);
  expect((await requestApi(await tokenOf(await requestToken(id, secret)), '/appointments')).status).toBe(200);
});

test('a form with unsaved input asks before it closes', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/patients');
  const openForm = async () => {
    await page.getByRole('button', { name: 'Add patient' }).click();
    const opened = page.getByRole('dialog', { name: 'Add patient' });
    await opened.waitFor();
    return opened;
  };
  let dialog = await openForm();
  await press(page, 'Escape', hidden(dialog));
  await expect(dialog, 'the form is empty').toBeHidden();
  const confirmation = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  for (const leave of [
    () => press(page, 'Escape', visible(confirmation)),
    () => clickOutside(page, visible(confirmation)),
    () => dialog.getByRole('button', { name: 'Close' }).first().click(),
  ]) {
    dialog = await openForm();
    await dialog.getByLabel('First name').fill('Maple');
    await leave();
    await confirmation.getByRole('button', { name: 'Keep editing' }).click();
    await expect(confirmation, 'while it fades out it still receives presses').toBeHidden();
    await expect(dialog.getByLabel('First name')).toHaveValue('Maple');
    await leave();
    await confirmation.getByRole('button', { name: 'Leave' }).click();
    await expect(dialog).toBeHidden();
  }
});
