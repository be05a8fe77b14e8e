import type { Page } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { expectAccessible } from './accessible.ts';
import { expect, fillSignIn, test } from './fixtures.ts';
import { createColleague } from './team.ts';

const PERIOD_MS = 30_000;

/** Simulates the authenticator app, which has the key that the page showed. */
function createAuthenticator(key: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(key) });
  return {
    now: () => totp.generate(),
    /** A code that was not used yet: the service accepts those of one step ahead. */
    next: () => totp.generate({ timestamp: Date.now() + PERIOD_MS }),
  };
}

async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to your clinic' }).waitFor();
}

test('an admin turns on two-step sign-in, and signs in with the app and with a recovery code', async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/401/);
  watch.allow(/422/);
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Admin');
  await visitor.goto('/sign-in');
  await fillSignIn(visitor, colleague);
  await visitor.getByRole('button', { name: colleague.name }).click();
  await visitor.getByRole('menuitem', { name: 'Your account' }).click();

  await visitor.getByRole('button', { name: 'Set up two-step sign-in' }).click();
  const dialog = visitor.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('not the password');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByText('This is not your password.')).toBeVisible();
  await dialog.getByLabel('Your password').fill(colleague.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('img', { name: /QR code/ })).toBeVisible();
  const authenticator = createAuthenticator((await dialog.locator('code').textContent()) ?? '');
  await dialog.getByLabel('Code in the app').fill('000000');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('This code is not right.')).toBeVisible();
  await dialog.getByLabel('Code in the app').fill(authenticator.now());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const list = dialog.getByRole('list', { name: 'Recovery codes' });
  await expect(list.getByRole('listitem')).toHaveCount(10);
  const [recoveryCode = ''] = await list.getByRole('listitem').allTextContents();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await expect(visitor.getByText('10 recovery codes are left')).toBeVisible();

  await signOut(visitor, colleague.name);
  await fillSignIn(visitor, colleague);
  const code = visitor.getByLabel('Code in your authenticator app');
  await expect(code).toBeFocused();
  await expectAccessible(visitor);
  await code.fill('000000');
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(visitor.getByText('This code is wrong or was used already.')).toBeVisible();
  await code.fill(authenticator.next());
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(visitor.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();

  await signOut(visitor, colleague.name);
  await fillSignIn(visitor, colleague);
  await visitor.getByRole('button', { name: 'Use a recovery code' }).click();
  await visitor.getByLabel('Recovery code').fill(recoveryCode);
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await visitor.getByRole('button', { name: colleague.name }).click();
  await visitor.getByRole('menuitem', { name: 'Your account' }).click();
  await expect(visitor.getByText('9 recovery codes are left')).toBeVisible();

  await page.goto('/settings/team');
  await page.getByRole('button', { name: `Actions for ${colleague.name}` }).click();
  await page.getByRole('menuitem', { name: 'Reset two-step sign-in' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset two-step sign-in' }).click();
  await expect(page.getByText('Two-step sign-in is reset')).toBeVisible();
  await visitor.goto('/settings/account');
  await fillSignIn(visitor, colleague);
  await expect(visitor.getByRole('button', { name: 'Set up two-step sign-in' })).toBeVisible();
});
