import type { Locator, Page, Route } from '@playwright/test';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { press, visible } from './press.ts';

const SLOW_MS = 1500;

/** The page handles a press a moment later. */
const waitForHandlers = (page: Page) => page.waitForTimeout(500);

/** Opens Today, and navigates to another page from there, so that Back leads to Today. */
async function openFromToday(page: Page, link: string, title: string): Promise<void> {
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForLoadState('networkidle');
}

async function navigateByPalette(page: Page, query: string): Promise<void> {
  const search = page.getByRole('combobox', { name: /^Find/ });
  await press(page, 'ControlOrMeta+k', visible(search));
  await search.fill(query);
  await page.getByRole('option', { name: query }).first().waitFor();
  await page.keyboard.press('Enter');
}

const confirmationOf = (page: Page) => page.getByRole('alertdialog', { name: 'Leave without saving?' });

/** Asserts that each navigation asks first and can be declined; `field` keeps its value. */
async function expectConfirmation(page: Page, navigations: (() => Promise<unknown>)[], field: Locator): Promise<void> {
  const typed = await field.inputValue();
  const { href } = new URL(page.url());
  for (const navigate of navigations) {
    await navigate();
    await confirmationOf(page).getByRole('button', { name: 'Keep editing' }).click();
    await expect(confirmationOf(page)).toBeHidden();
    await expect(field).toHaveValue(typed);
    expect(page.url()).toBe(href);
  }
}

/** Asserts that no navigation closes content that is shown only once. */
async function expectStaysOpen(page: Page, dialog: Locator): Promise<void> {
  const { href } = new URL(page.url());
  await page.keyboard.press('ControlOrMeta+k');
  await waitForHandlers(page);
  await expect(page.getByRole('combobox', { name: /^Find/ })).toHaveCount(0);
  await page.keyboard.type('plans');
  await page.keyboard.press('Escape');
  for (const _ of ['once', 'and once more']) {
    await page.goBack();
    await waitForHandlers(page);
    await expect(dialog).toBeVisible();
    expect(page.url()).toBe(href);
  }
  await page.evaluate(() => document.querySelector<HTMLElement>('nav a[href="/plans"]')?.click());
  await waitForHandlers(page);
  await expect(dialog).toBeVisible();
  expect(page.url()).toBe(href);
}

test('a secret that is shown once stays until it is saved, on any navigation', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  await openFromToday(page, 'API credentials', 'API credentials');
  await page.getByRole('button', { name: 'Create application' }).click();
  const form = page.getByRole('dialog', { name: 'Create application' });
  const name = `Held server ${randomSuffix()}`;
  await form.getByLabel('Name').fill(name);
  await form.getByRole('checkbox', { name: 'Read patients' }).check();
  await form.getByRole('button', { name: 'Create application' }).click();
  const ready = page.getByRole('dialog', { name: `${name} is ready` });
  await ready.waitFor();
  await expectStaysOpen(page, ready);
  await ready.getByRole('button', { name: 'I have saved it' }).click();
  await expect(ready).toBeHidden();

  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  const rotation = page.getByRole('dialog', { name: `New secret for ${name}` });
  await page.route('**/applications.rotateSecret*', delayResponse);
  await rotation.getByRole('button', { name: 'Make a new secret' }).click();
  await page.keyboard.press('Escape');
  await rotation.getByRole('button', { name: 'I have saved it' }).waitFor();
  await expectStaysOpen(page, rotation);
  await rotation.getByRole('button', { name: 'I have saved it' }).click();
  await expect(rotation).toBeHidden();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
});

test('recovery codes stay until they are saved', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await openFromToday(page, 'Plans', 'Plans');
  await page.getByRole('button', { name: /Practitioner/ }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  const response = (data: unknown) => (route: Route) => route.fulfill({ json: [{ result: { data } }] });
  await page.route('**/account.startTwoStep*', response({ secret: 'ABCDEFGH', uri: 'otpauth://totp/Carelane' }));
  await page.route('**/account.confirmTwoStep*', response({ recovery_codes: ['abcd-efgh', 'ijkl-mnop'] }));
  await page.getByRole('button', { name: 'Set up two-step sign-in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('anything');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByLabel('Code in the app').fill('123456');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
  await codes.waitFor();
  await expectStaysOpen(page, codes);
  await codes.getByRole('button', { name: 'I have saved them' }).click();
  await expect(codes).toBeHidden();
});

test('a dialog with unsaved input asks before the palette or Back leave the page', async ({ page, signIn }) => {
  await signIn('practitioner');
  await openFromToday(page, 'Patients', 'Patients');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  const field = dialog.getByLabel('First name');
  await field.fill('Maple');
  // Back twice in a row: the second is undone like the first.
  const goBackTwice = async () => {
    await page.goBack();
    await confirmationOf(page).waitFor();
    await waitForHandlers(page);
    await page.goBack();
    await waitForHandlers(page);
  };
  await expectConfirmation(page, [() => navigateByPalette(page, 'Plans'), () => page.goBack(), goBackTwice], field);
  await navigateByPalette(page, 'Plans');
  await confirmationOf(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();

  // A page that was left no longer blocks navigation.
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Add patient' }).click();
  await field.fill('Maple');
  await page.goBack();
  await confirmationOf(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
});

for (const [link, title, card, label, typed] of [
  ['Clinic', 'Clinic', 'About the clinic', 'Name', 'Another clinic'],
  ['API credentials', 'API credentials', 'Pages of your app', 'Invitations', 'https://app.example.test/join'],
] as const)
  test(`the page ${link} asks before links, keys, the palette or Back leave it`, { tag: '@prove' }, async ({
    page,
    signIn,
  }) => {
    await signIn('admin');
    await openFromToday(page, link, title);
    const field = page.getByRole('region', { name: card }).getByLabel(label).first();
    await field.fill(typed);
    const pressShortcut = async () => {
      await field.blur();
      await page.keyboard.press('g');
      await page.keyboard.press('l');
    };
    const plans = page.getByRole('navigation').getByRole('link', { name: 'Plans' }).first();
    const openAccountMenu = async () => {
      await page.getByRole('button', { name: /Admin/ }).click();
      await page.getByRole('menuitem', { name: 'Your account' }).click();
    };
    await expectConfirmation(
      page,
      [
        () => plans.click(),
        pressShortcut,
        () => navigateByPalette(page, 'Plans'),
        openAccountMenu,
        () => page.goBack(),
      ],
      field,
    );
    await plans.click();
    await confirmationOf(page).getByRole('button', { name: 'Leave' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
    await page.goBack();
    await expect(field, 'the input is discarded').not.toHaveValue(typed);
  });

test('the profile form asks as well, and not once the name is saved', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await openFromToday(page, 'Plans', 'Plans');
  await page.getByRole('button', { name: /Practitioner/ }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  const profile = page.getByRole('region', { name: 'Profile' });
  const field = profile.getByLabel('Name');
  const before = await field.inputValue();
  const patients = page.getByRole('navigation').getByRole('link', { name: 'Patients' }).first();
  await field.fill(`${before} Example`);
  await expectConfirmation(page, [() => patients.click(), () => page.goBack()], field);
  await field.fill(before);
  await profile.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByText('Name saved')).toBeVisible();
  await patients.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
});

test('a form that is being saved does not close, and keeps its input when saving fails', { tag: '@prove' }, async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/50\d|ERR_FAILED/);
  await signIn('practitioner');
  await page.goto('/patients');
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill('Example');
  let fail = () => {};
  const createPending = () =>
    new Promise<void>((resolve) => {
      fail = resolve;
    });
  let pending = createPending();
  await page.route('**/patients.create*', async (route) => {
    await pending;
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog).toHaveAttribute('aria-busy', 'true');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  for (const close of await dialog.getByRole('button', { name: 'Close' }).all()) await close.click();
  await expect(confirmationOf(page)).toHaveCount(0);
  await expect(dialog).toHaveAttribute('aria-busy', 'true');
  fail();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(dialog).not.toHaveAttribute('aria-busy');
  await expect(dialog.getByLabel('Last name')).toHaveValue('Example');
  await press(page, 'Escape', visible(confirmationOf(page)));
  await confirmationOf(page).getByRole('button', { name: 'Keep editing' }).click();

  // Navigation during a save waits for the response, and asks when it is an error.
  pending = createPending();
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await navigateByPalette(page, 'Plans');
  await expect(dialog).toHaveAttribute('aria-busy', 'true');
  await expect(confirmationOf(page)).toHaveCount(0);
  fail();
  await confirmationOf(page).getByRole('button', { name: 'Keep editing' }).click();
  await expect(dialog.getByLabel('Last name')).toHaveValue('Example');
});

test('a form reports the errors of all its fields at once', { tag: '@prove' }, async ({ page, signIn, api, watch }) => {
  watch.allow(/422/);
  await signIn('practitioner');
  const patient = await api.createPatient();
  for (const [path, name] of [
    ['/patients', 'Add patient'],
    [`/patients/${patient.id}`, 'Edit details'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('button', { name, exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: /patient$/ });
    await dialog.getByLabel('First name').fill('x'.repeat(300));
    await dialog.getByLabel('Last name').fill(' ');
    await dialog.getByLabel('Email').fill('no-email@');
    await dialog.getByLabel('Phone').fill('12');
    await dialog.getByLabel('ZIP').fill('9'.repeat(30));
    await dialog.getByRole('button', { name: /Add patient|Save changes/ }).click();
    for (const [label, message] of [
      ['First name', 'Use at most 100 characters.'],
      ['Last name', 'Enter a last name.'],
      ['Email', 'Enter an email address like'],
      ['Phone', 'Enter a whole phone number'],
      ['ZIP', 'Use at most 20 characters.'],
    ] as const)
      await expect(dialog.getByLabel(label)).toHaveAccessibleDescription(new RegExp(message));
    await press(page, 'Escape', visible(confirmationOf(page)));
    await confirmationOf(page).getByRole('button', { name: 'Leave' }).click();
  }
  await page.goto('/settings/account');
  const password = page.getByRole('region', { name: 'Password' });
  for (const [current, message] of [
    ['', 'Enter your password.'],
    ['wrong', 'This is not your password.'],
  ] as const) {
    await password.getByLabel('Current password').fill(current);
    await password.getByLabel('New password').fill('short');
    await password.getByRole('button', { name: 'Change password' }).click();
    await expect(password.getByLabel('Current password')).toHaveAccessibleDescription(message);
    await expect(password.getByLabel('New password')).toHaveAccessibleDescription(/at least 12 characters/);
  }
});

async function delayResponse(route: Route): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  await route.continue();
}
