import { staffOf } from './card.ts';
import { expect, fillSignIn, test } from './fixtures.ts';
import { ignoreHydration } from './hydration.ts';
import { proveUnless } from './prove.ts';

const admin = staffOf('admin');

test('a wrong password is explained, and the right one opens the portal', async ({ page, watch }) => {
  watch.allow(/401/);
  await page.goto('/sign-in');
  await fillSignIn(page, { email: admin.email, password: 'not the password' });
  await expect(page.getByText('Email or password is wrong. Check both and try again.')).toBeVisible();
  await fillSignIn(page, admin);
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
});

test('after too many attempts the page says how long to wait', async ({ page, watch }) => {
  watch.allow(/401|429/);
  await page.goto('/sign-in');
  const error = page.getByText(/^Too many tries\. Wait (a second|\d+ seconds), then try again\.$/);
  for (let n = 0; n < 9 && !(await error.isVisible()); n += 1) {
    const response = page.waitForResponse((response) => response.url().endsWith('/api/auth/callback/credentials'));
    await fillSignIn(page, { email: 'unknown@example.test', password: 'not the password' });
    await response;
    await expect(page.getByText(/^(Too many tries|Email or password is wrong)/)).toBeVisible();
  }
  await expect(error).toBeVisible();
});

test('an empty form says what is missing and sends nothing', { tag: '@prove' }, async ({ page }) => {
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Enter your work email.');
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Enter your password.');
});

test('before the page’s script has loaded nothing can be sent, and typed input stays', async ({ page }) => {
  await ignoreHydration(page);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*.js*', async (route) => {
    await released;
    await route.fallback();
  });
  for (const [path, button] of [
    ['/forgot-password', 'Send me a link'],
    ['/sign-in', 'Sign in'],
  ] as const) {
    await page.goto(path, { waitUntil: 'commit' });
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Email').press('Enter');
    await expect(page.getByRole('button', { name: button })).toBeDisabled();
    await expect(page).toHaveURL(path);
  }
  await page.getByLabel('Password').fill(admin.password);
  release();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
});

for (const path of ['/patients?search=example', '/appointments', '/plans', '/subscriptions', '/settings/credentials'])
  test(
    `a signed-out request for ${path} leads to the sign-in and back`,
    proveUnless(path.startsWith('/patients')),
    async ({ page, signIn }) => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: 'Sign in to your clinic' })).toBeVisible();
      const signInUrl = page.url();
      // Equivalent to filling in the form: the return path is in the URL.
      expect(new URL(signInUrl).searchParams.get('callbackUrl')).toBe(path);
      await signIn('admin');
      await page.goto(path);
      await expect(page).toHaveURL(path);
    },
  );

test('the form returns to the requested page, and never to another site', async ({ page, visitor }) => {
  await page.goto('/plans');
  await fillSignIn(page, admin);
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  await visitor.goto('/sign-in?callbackUrl=https://elsewhere.example.test/patients');
  await fillSignIn(visitor, admin);
  await expect(visitor).toHaveURL('/patients');
});

test('after signing out the pages cannot be opened', async ({ page }) => {
  await page.goto('/sign-in');
  await fillSignIn(page, admin);
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  // Presses before the page's scripts run are lost.
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Willow Example' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to your clinic' })).toBeVisible();
  await page.goto('/patients');
  await expect(page.getByRole('heading', { name: 'Sign in to your clinic' })).toBeVisible();
});
