import type { Locator, Page } from '@playwright/test';
import { askApi, askToken, newMark, tokenOf } from './api.ts';
import { expect, test } from './fixtures.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

async function copied(page: Page, button: Locator): Promise<string> {
  await button.click();
  await expect(button).toContainText('Copied');
  return page.evaluate(() => navigator.clipboard.readText());
}

async function createApplication(page: Page, name: string): Promise<{ id: string; secret: string }> {
  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  const id = await copied(page, ready.getByRole('button', { name: 'Copy client id' }));
  const secret = await copied(page, ready.getByRole('button', { name: 'Copy client secret' }));
  await ready.getByRole('button', { name: 'I have saved it' }).click();
  await expect(ready).toBeHidden();
  return { id, secret };
}

/** Every process hears of a revocation within a second. */
async function expectDead(ask: () => Promise<Response>): Promise<void> {
  await expect.poll(async () => (await ask()).status, { timeout: 1000, intervals: [50] }).toBe(401);
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
  const name = `Booking server ${newMark()}`;
  const { id, secret } = await createApplication(page, name);
  const token = await tokenOf(await askToken(id, secret));
  expect((await askApi(token, '/patients')).status).toBe(200);
  await expect(page.locator('body')).not.toContainText(secret);
  await page.reload();
  await expect(page.getByRole('region', { name }).or(page.getByText(name)).first()).toBeVisible();
  await expect(page.locator('body')).not.toContainText(secret);
});

test('an application without the right is refused', async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create application' });
  const name = `Reader ${newMark()}`;
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('checkbox', { name: 'Add and change patients' }).uncheck();
  await dialog.getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  const id = await copied(page, ready.getByRole('button', { name: 'Copy client id' }));
  const secret = await copied(page, ready.getByRole('button', { name: 'Copy client secret' }));
  const token = await tokenOf(await askToken(id, secret));
  expect((await askApi(token, '/patients')).status).toBe(200);
  expect((await askApi(token, '/patients', { first_name: 'Ada' })).status).toBe(403);
});

test('a secret is changed without a pause, and a revoked application is dead within a second', async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  const name = `Records server ${newMark()}`;
  const { id, secret: old } = await createApplication(page, name);

  await choose(page, name, 'New secret');
  const rotation = page.getByRole('dialog', { name: `New secret for ${name}` });
  await rotation.getByRole('button', { name: 'Make a new secret' }).click();
  const fresh = await copied(page, rotation.getByRole('button', { name: 'Copy client secret' }));
  await rotation.getByRole('button', { name: 'I have saved it' }).click();
  expect(fresh).not.toBe(old);
  expect((await askToken(id, old)).status).toBe(200);
  const token = await tokenOf(await askToken(id, fresh));

  const card = page.getByRole('region', { name });
  await card
    .getByRole('listitem')
    .filter({ hasText: `…${old.slice(-4)}` })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke secret' }).click();
  await expect(page.getByText('Secret revoked')).toBeVisible();
  await expectDead(() => askToken(id, old));
  expect((await askApi(token, '/patients')).status).toBe(200);

  await choose(page, name, 'Revoke application');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke application' }).click();
  await expect(page.getByText('Application revoked')).toBeVisible();
  await expectDead(() => askApi(token, '/patients'));
  await expectDead(() => askToken(id, fresh));
  await expect(card.getByText('Revoked', { exact: true })).toBeVisible();
});
