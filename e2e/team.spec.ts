import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { staffOf } from './card.ts';
import { expect, fillSignIn, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { promised } from './prove.ts';
import { chooseRole, createColleague, inviteColleague } from './team.ts';

test('an invited colleague joins by the link, which works once', async ({ page, visitor, signIn, watch }) => {
  watch.allow(/422/);
  await signIn('admin');
  const colleague = await inviteColleague(page, 'Practitioner');
  const row = page.getByRole('row', { name: colleague.name });
  await expect(row.getByText('Invited', { exact: true })).toBeVisible();
  await expect(row.getByText('Link works until')).toBeVisible();

  const link = linkIn(await awaitMail(colleague.email));
  await visitor.goto(link);
  await expect(visitor.getByLabel('Email')).toHaveValue(colleague.email);
  await expect(visitor.getByLabel('Your name')).toHaveValue(colleague.name);
  await expectAccessible(visitor);
  for (const [password, message] of [
    ['short', 'The password needs at least 12 characters.'],
    ['password1234', 'This password is too easy to guess.'],
  ] as const) {
    await visitor.getByLabel('New password').fill(password);
    await visitor.getByRole('button', { name: 'Join the team' }).click();
    await expect(visitor.getByText(message)).toBeVisible();
  }
  await visitor.getByLabel('New password').fill(colleague.password);
  await visitor.getByRole('button', { name: 'Join the team' }).click();
  // The new password signs the colleague in at once.
  await expect(visitor.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  await page.reload();
  await expect(row.getByText('Active', { exact: true })).toBeVisible();

  await visitor.goto(link);
  await visitor.reload();
  await expect(visitor.getByText('This link does not work any more')).toBeVisible();
});

test('a resent invitation replaces the link, and a withdrawn one revokes it', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/422/);
  await signIn('admin');
  const colleague = await inviteColleague(page, 'Practitioner');
  const first = await awaitMail(colleague.email);
  const menu = page.getByRole('button', { name: `Actions for ${colleague.name}` });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Send invitation again' }).click();
  await expect(async () => expect((await awaitMail(colleague.email)).text).not.toBe(first.text)).toPass();
  const second = await awaitMail(colleague.email);
  await visitor.goto(linkIn(first));
  await expect(visitor.getByText('This link does not work any more')).toBeVisible();
  // In the same tab, where only the fragment changes: the page reads it automatically.
  await visitor.goto(linkIn(second));
  await expect(visitor.getByLabel('New password')).toBeVisible();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Withdraw invitation' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw invitation' }).click();
  await expect(page.getByText('Invitation withdrawn')).toBeVisible();
  await expect(page.getByRole('row', { name: colleague.name })).toHaveCount(0);
  await visitor.reload();
  await expect(visitor.getByText('This link does not work any more')).toBeVisible();
});

test('a disabled colleague is signed out at once, and returns when enabled', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/401/);
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Practitioner');
  await visitor.goto('/sign-in');
  await fillSignIn(visitor, colleague);
  await visitor.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  await page.reload();
  const menu = page.getByRole('button', { name: `Actions for ${colleague.name}` });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
  await expect(page.getByText('Disabled and signed out')).toBeVisible();
  const status = async () => (await visitor.request.get('/api/trpc/session.me?input=%7B%7D')).status();
  await expect.poll(status, { timeout: promised(2_000) }).toBe(401);
  await visitor.goto('/patients');
  await fillSignIn(visitor, colleague);
  await expect(visitor.getByText('Email or password is wrong.')).toBeVisible();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Enable' }).click();
  await expect(page.getByText('Enabled: they can sign in again')).toBeVisible();
  await fillSignIn(visitor, colleague);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
});

test('a promoted colleague signs in again and sees the settings', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
}) => {
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Practitioner');
  await page.reload();
  await page.getByRole('button', { name: `Actions for ${colleague.name}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: `Change the role of ${colleague.name}` });
  await expect(dialog.getByRole('radio', { name: /^Practitioner/ })).toBeChecked();
  await chooseRole(dialog, 'Admin');
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await expect(page.getByText('Role changed')).toBeVisible();
  await expect(page.getByRole('row', { name: colleague.email }).getByRole('cell', { name: 'Admin' })).toBeVisible();
  await visitor.goto('/settings/team');
  await fillSignIn(visitor, colleague);
  await expect(visitor.getByRole('row', { name: colleague.email }).getByText('You', { exact: true })).toBeVisible();
});

test('a choice of what practitioners may do is saved at once', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/team');
  const table = page.getByRole('table', { name: 'What each role may do' });
  const refunds = table.getByRole('checkbox', { name: 'Practitioners may refund payments' });
  await expect(refunds).not.toBeChecked();
  await refunds.check();
  await expect(page.getByText('Practitioners may now refund payments')).toBeVisible();
  await page.reload();
  await expect(refunds).toBeChecked();
  await refunds.uncheck();
  await expect(page.getByText('Practitioners may no longer refund payments')).toBeVisible();
  await page.reload();
  await expect(refunds).not.toBeChecked();

  // On a phone, the table shows one role.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('combobox', { name: 'Role' }).selectOption({ label: 'Billing' });
  await expect(table.getByRole('columnheader')).toHaveText(['What they may do', 'Billing']);
  await expect(table.getByRole('row', { name: 'Refund payments' }).getByRole('cell')).toHaveText('Yes');
  await expect(refunds).toBeHidden();
});

test('signing out invalidates every copy of the cookie', async ({ page, browser }) => {
  await page.goto('/sign-in');
  await fillSignIn(page, staffOf('practitioner'));
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  const copiedContext = await browser.newContext({ storageState: await page.context().storageState() });
  const status = async () =>
    (await copiedContext.request.get(new URL('/api/trpc/session.me?input=%7B%7D', page.url()).href)).status();
  expect(await status()).toBe(200);
  await page.getByRole('button', { name: /Practitioner/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to your clinic' }).waitFor();
  await expect.poll(status, { timeout: promised(2_000) }).toBe(401);
  await copiedContext.close();
});

test('a user who forgot the password gets a link, which signs out everywhere else', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
}) => {
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Practitioner');
  const openForgotPassword = async () => {
    await visitor.getByRole('link', { name: 'Forgot your password?' }).click();
    await visitor.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  };
  await visitor.goto('/sign-in');
  await openForgotPassword();
  const sentNotice = (address: string) => visitor.getByText(`If someone with the address ${address} works here`);
  // A new address in each run: resets are rate-limited by address.
  const unknown = `unknown-${randomSuffix()}@riverbend.example.test`;
  await visitor.getByLabel('Email').fill(unknown);
  await visitor.getByRole('button', { name: 'Send me a link' }).click();
  await expect(sentNotice(unknown)).toBeVisible();
  await visitor.getByRole('link', { name: 'Back to the sign-in' }).click();
  await openForgotPassword();
  await visitor.getByLabel('Email').fill(colleague.email);
  await visitor.getByRole('button', { name: 'Send me a link' }).click();
  await expect(sentNotice(colleague.email)).toBeVisible();
  await expect(async () => expect((await awaitMail(colleague.email)).subject).toContain('set a new password')).toPass();
  await visitor.goto(linkIn(await awaitMail(colleague.email)));
  await visitor.getByLabel('New password').fill('eight calm lakes rest');
  await visitor.getByRole('button', { name: 'Set password' }).click();
  await expect(visitor.getByText('Your new password is set')).toBeVisible();
  await visitor.getByRole('link', { name: 'Go to the sign-in' }).click();
  await fillSignIn(visitor, { ...colleague, password: 'eight calm lakes rest' });
  await expect(visitor.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
});

test('a user changes their password and name on the account page', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/422/);
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Practitioner');
  await visitor.goto('/settings/account');
  await fillSignIn(visitor, colleague);
  const password = visitor.getByRole('region', { name: 'Password' });
  await password.getByLabel('Current password').fill(colleague.password);
  await password.getByLabel('New password').fill('short');
  await password.getByRole('button', { name: 'Change password' }).click();
  await expect(password.getByText('The password needs at least 12 characters.')).toBeVisible();
  await password.getByLabel('New password').fill('nine bright hills wait');
  await password.getByRole('button', { name: 'Change password' }).click();
  await expect(visitor.getByText('Password changed')).toBeVisible();
  const renamed = `Juniper Renamed ${randomSuffix()}`;
  await visitor.getByRole('region', { name: 'Profile' }).getByLabel('Name').fill(renamed);
  await visitor.getByRole('button', { name: 'Save name' }).click();
  await expect(visitor.getByRole('button', { name: renamed })).toBeVisible();
  await visitor.getByRole('button', { name: 'Sign out everywhere' }).click();
  await visitor.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await fillSignIn(visitor, { ...colleague, password: 'nine bright hills wait' });
  await expect(visitor.getByRole('button', { name: renamed })).toBeVisible();
});
