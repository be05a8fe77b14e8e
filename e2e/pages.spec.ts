import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { readCard, staffOf } from './card.ts';
import { createSubscription } from './create-subscription.ts';
import { expectAccessibleAndFits, expectFits } from './fits.ts';
import { expect, openListening, test } from './fixtures.ts';
import { createLongPatient } from './long-patient.ts';
import { newPhone, openPlayground, openTab, requestCode, signUpByPhone } from './playground.ts';
import { hidden, press, visible } from './press.ts';
import { proveUnless } from './prove.ts';

test.describe.configure({ mode: 'parallel' });

async function expectTitle(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeAttached();
  await expect(page).toHaveTitle(/\S · Carelane$/);
}

/** Path, first heading, and the label of what shows that the rows are loaded. */
const PAGES: [path: string, heading: string, loaded: string][] = [
  ['/', 'Today', 'Appointments today'],
  ['/calendar', 'Calendar', 'Day of the calendar'],
  ['/patients', 'Patients', 'Patients'],
  ['/appointments', 'Appointments', 'Appointments'],
  ['/tasks', 'Tasks', 'Tasks'],
  ['/practitioners', 'Practitioners', 'Practitioners'],
  ['/appointments/unmatched', 'Bookings to match', 'Bookings to match'],
  ['/plans', 'Plans', 'Plans'],
  ['/plans?view=codes', 'Plans', 'Promotion codes'],
  ['/subscriptions', 'Subscriptions', 'Subscriptions'],
  ['/inbox', 'Inbox', 'Inbox'],
  ['/settings/account', 'Your account', 'Two-step sign-in'],
  ['/settings/clinic', 'Clinic', 'About the clinic'],
  ['/settings/messages', 'Messages', 'What patients are sent'],
  ['/settings/team', 'Team', 'Team'],
  ['/settings/integrations', 'Integrations', 'Stripe'],
  ['/settings/credentials', 'API credentials', 'Server applications'],
  ['/settings/audit', 'Audit log', 'Audit log'],
  ['/settings/events', 'Events', 'Events'],
  ['/settings/webhooks', 'Webhooks', 'Webhooks'],
  ['/settings/system', 'System', 'Failed work'],
];

test.describe('every page is accessible and fits', () => {
  test.slow();

  /** Has names and addresses of maximum length: in the lists, and on a page of its own. */
  let patient: Awaited<ReturnType<typeof createLongPatient>>;
  test.beforeAll(async ({ api }) => {
    patient = await createLongPatient(api);
  });

  for (const [path, heading, loaded] of PAGES)
    test(path, async ({ page, signIn }) => {
      await signIn('admin');
      await page.goto(path);
      await expectTitle(page, heading);
      await page.getByRole('region', { name: loaded }).first().waitFor();
      await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
      await expectAccessibleAndFits(page);
    });

  test('one patient, and dialogs about that patient', async ({ page, signIn }) => {
    await signIn('admin');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The cards arrive last, because Stripe has them: the page is checked before and after.
    await page.route(/cards\.list/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`/patients/${patient.id}`);
    await expectTitle(page, new RegExp(patient.last_name));
    await page.getByRole('table', { name: /^Subscriptions of/ }).waitFor();
    await page.getByRole('table', { name: /^Appointments of/ }).waitFor();
    const loading = page.getByRole('status').filter({ hasText: 'Asking Stripe for the cards' });
    await loading.waitFor();
    await expectAccessible(page);
    release();
    await expect(loading).toHaveCount(0);
    await expectAccessibleAndFits(page);
    for (const name of ['Book appointment', 'New subscription']) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
      await page.waitForLoadState('networkidle');
      await expectFits(page);
      await press(page, 'Escape', hidden(page.getByRole('dialog')));
    }
  });

  test('one subscription, and dialogs about it', { tag: '@prove' }, async ({ page, signIn, api }) => {
    const { id } = await createSubscription(api, 'trial');
    await signIn('admin');
    await page.goto(`/subscriptions/${id}`);
    await page.getByRole('table', { name: /^Payments of/ }).waitFor();
    await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
    await expectAccessibleAndFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByRole('dialog').getByRole('radio').first().click();
    await page.getByRole('dialog').getByText('To pay now').waitFor();
    await expectFits(page);
    await page.keyboard.press('Escape');
  });

  test('one appointment, and dialogs about it', { tag: '@prove' }, async ({ page, signIn, api }) => {
    const { id } = await api.book(patient.id);
    await signIn('admin');
    await page.goto(`/appointments/${id}`);
    await page.getByText('An appointment was booked').waitFor();
    await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
    await expectAccessibleAndFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
    await page.getByRole('alertdialog').getByLabel('Why?').waitFor();
    await expectFits(page);
    await press(page, 'Escape', hidden(page.getByRole('alertdialog')));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'New link' }).click();
    await page.getByRole('dialog', { name: 'Give this appointment a new link?' }).waitFor();
    await expectAccessibleAndFits(page);
    await page.keyboard.press('Escape');
  });

  test('the video call of one appointment, before it is joined', { tag: '@prove' }, async ({ page, signIn, api }) => {
    const { id } = await api.book(patient.id);
    await signIn('admin');
    await page.goto(`/appointments/${id}/call`);
    await page.getByRole('button', { name: 'Join the visit' }).waitFor();
    await expectTitle(page, /^Video visit with/);
    await expectAccessibleAndFits(page);
    await api.cancelAppointment(id);
  });

  test('all stored data of one patient', { tag: '@prove' }, async ({ page, signIn }) => {
    await signIn('admin');
    await page.goto(`/patients/${patient.id}/export`);
    await expectTitle(page, /^Everything on record about/);
    await expectAccessibleAndFits(page);
  });

  test('two records to merge', { tag: '@prove' }, async ({ page, signIn, api }) => {
    const { id } = await api.createPatient();
    await signIn('admin');
    await page.goto(`/patients/${id}/merge`);
    await expectTitle(page, 'Merge two records');
    await page.getByText('No record chosen yet').waitFor();
    await expectAccessibleAndFits(page);
    await page.goto(`/patients/${id}/merge?with=${patient.id}`);
    await page.getByRole('button', { name: 'Merge records' }).click();
    await expectAccessibleAndFits(page, () => page.getByRole('alertdialog').waitFor());
    await press(page, 'Escape', hidden(page.getByRole('alertdialog')));
    await expectAccessibleAndFits(page);
  });

  test('sign-in', async ({ page }) => {
    await page.goto('/sign-in');
    await expectTitle(page, 'Sign in to your clinic');
    await expectAccessibleAndFits(page);
  });

  for (const [path, heading] of [
    ['/forgot-password', 'Forgot your password?'],
    ['/join', 'This link does not work any more'],
    ['/reset-password', 'This link does not work any more'],
    ['/new-devices#x', 'This link does not work any more'],
  ] as const)
    test(path, proveUnless(path === '/forgot-password' || path === '/join'), async ({ visitor }) => {
      await visitor.goto(path);
      await expectTitle(visitor, heading);
      await expectAccessibleAndFits(visitor);
    });

  test('no such page', { tag: '@prove' }, async ({ page, signIn, watch }) => {
    watch.allow(/404/);
    await signIn('admin');
    await page.goto('/no-such-page');
    await expectTitle(page, 'There is no page here');
    await expectAccessibleAndFits(page);
  });

  test('checkout', async ({ page, signIn, visitor, api }) => {
    const patient = await api.createPatient();
    const { id } = await api.subscribe(patient.id, 'paid');
    await signIn('practitioner');
    const response = await page.request.post('/api/trpc/subscriptions.createCheckoutLink', {
      headers: PORTAL_HEADERS,
      data: { subscription_id: id },
    });
    const { result } = (await response.json()) as { result: { data: { url: string } } };
    await visitor.goto(result.data.url);
    await expectTitle(visitor, 'Complete your payment');
    await expectAccessibleAndFits(visitor, () => visitor.getByLabel('Card number').waitFor());
  });

  test('playground without its tokens', { tag: '@prove' }, async ({ visitor }) => {
    await visitor.goto('/playground');
    await expectTitle(visitor, 'Playground');
    await expectAccessibleAndFits(visitor, () => visitor.getByRole('heading', { name: 'Which clinic?' }).waitFor());
  });

  test('playground before signing in', async ({ visitor }) => {
    await openPlayground(visitor);
    await expectTitle(visitor, 'Playground');
    await expectAccessibleAndFits(visitor);
    await visitor.setViewportSize({ width: 390, height: 800 });
    await visitor.getByRole('button', { name: 'Show the code of this step' }).click();
    await expectFits(visitor);
    await expectAccessible(visitor);
  });

  test('playground that waits for a code', { tag: '@prove' }, async ({ visitor, api }) => {
    await openPlayground(visitor);
    await requestCode(visitor, await newPhone(api));
    await expectAccessibleAndFits(visitor, () => visitor.getByRole('button', { name: 'Fill in' }).waitFor());
    await visitor.setViewportSize({ width: 390, height: 800 });
    await expectFits(visitor);
  });

  test('playground of a patient', { tag: '@prove' }, async ({ visitor, api }) => {
    test.setTimeout(300_000);
    const appointment = await api.book(await signUpByPhone(visitor, api));
    await expectAccessibleAndFits(visitor);
    await openTab(visitor, 'Appointments');
    await visitor.getByRole('link', { name: 'Join' }).waitFor();
    await expectAccessibleAndFits(visitor);
    await visitor.getByRole('button', { name: 'Book an appointment' }).click();
    await visitor.getByRole('radio', { name: /Follow-up visit/ }).click();
    await visitor.getByRole('radiogroup', { name: /^Times on/ }).waitFor();
    await expectAccessibleAndFits(visitor);
    await openTab(visitor, 'Plan');
    await visitor
      .getByRole('radio', { name: /Essential care/ })
      .first()
      .click();
    await expectAccessibleAndFits(visitor);
    await visitor.getByRole('button', { name: 'Continue to payment' }).click();
    await expectAccessibleAndFits(visitor, () => visitor.getByLabel('Card number').waitFor());
    await api.cancelAppointment(appointment.id);
  });

  test('checkout without its link', { tag: '@prove' }, async ({ visitor }) => {
    await visitor.goto('/checkout');
    await expectTitle(visitor, 'This payment page cannot be opened');
    await expectAccessibleAndFits(visitor);
  });

  test('invitation', async ({ visitor }) => {
    const tokens = new URLSearchParams(new URL(readCard().playground_url).hash.slice(1));
    await visitor.goto(`/invitation#${tokens.get('credentials')}`);
    await expectTitle(visitor, 'Your invitation');
    await expectAccessibleAndFits(visitor, () => visitor.getByLabel('Temporary password').waitFor());
  });

  test('invitation without its link', { tag: '@prove' }, async ({ visitor }) => {
    await visitor.goto('/invitation');
    await expectTitle(visitor, 'This link is incomplete');
    await expectAccessibleAndFits(visitor);
  });

  test('visit', async ({ visitor, api }) => {
    const patient = await api.createPatient();
    const appointment = await api.book(patient.id);
    await visitor.goto(appointment.video_call_url);
    await expectTitle(visitor, /./);
    await visitor.getByText(appointment.calendar).waitFor();
    await expectAccessibleAndFits(visitor);
    await api.cancelAppointment(appointment.id);
  });
});

test.describe('every dialog is accessible and fits', () => {
  test.slow();

  const DIALOGS: [path: string, button: string, ready: RegExp][] = [
    ['/', 'Book appointment', /Choose an appointment type/],
    ['/patients', 'Add patient', /Chart number/],
    ['/subscriptions', 'New subscription', /Essential care/],
    ['/tasks', 'New task', /In two weeks/],
    ['/settings/account', 'Set up two-step sign-in', /Your password/],
    ['/settings/team', 'Invite colleague', /Work email/],
    ['/settings/credentials', 'Create application', /What it may do/],
    ['/settings/integrations', 'Change the connection', /API key/],
    ['/settings/webhooks', 'Add receiver', /How much each message says/],
  ];
  for (const [path, button, ready] of DIALOGS)
    test(`${button} on ${path}`, proveUnless(path === '/'), async ({ page, signIn }) => {
      await signIn('admin');
      await page.goto(path);
      await page.getByRole('button', { name: button }).first().click();
      await expect(page.getByRole('dialog').getByText(ready).first()).toBeVisible();
      await expectAccessibleAndFits(page);
    });

  test('Change role', { tag: '@prove' }, async ({ page, signIn }) => {
    await signIn('admin');
    await page.goto('/settings/team');
    const row = page.getByRole('row', { name: staffOf('practitioner').email });
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page
      .getByRole('dialog', { name: /^Change the role of/ })
      .getByRole('radio')
      .first()
      .waitFor();
    await expectAccessibleAndFits(page);
  });

  test('Invite patient', { tag: '@prove' }, async ({ page, signIn }) => {
    await signIn('admin');
    const response = await page.request.post('/api/trpc/invitations.turn', {
      headers: PORTAL_HEADERS,
      data: { enabled: true },
    });
    expect(response.status()).toBe(200);
    await page.goto('/patients');
    await page.getByRole('button', { name: 'Invite patient' }).click();
    await page.getByRole('dialog', { name: 'Invite patient' }).getByLabel('First name').waitFor();
    await expectAccessibleAndFits(page);
  });

  test('available slots', { tag: '@prove' }, async ({ page, signIn }) => {
    await signIn('admin');
    await page.goto('/appointments');
    await page.getByRole('button', { name: 'Book appointment' }).first().click();
    await page.getByRole('dialog').getByLabel('Appointment type').click();
    await page.getByRole('option', { name: /Follow-up visit/ }).click();
    await page
      .getByRole('radiogroup', { name: /^Times on/ })
      .getByRole('radio')
      .first()
      .click();
    await expectAccessibleAndFits(page);
  });

  test('the command palette', { tag: '@prove' }, async ({ page, signIn, api }) => {
    const patient = await createLongPatient(api);
    await signIn('admin');
    await openListening(page, '/');
    await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox')));
    await page.getByRole('combobox').fill('ex');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('combobox').fill(patient.last_name);
    await page.getByRole('group', { name: 'Appointments' }).waitFor();
    await expectAccessibleAndFits(page);
  });

  test('the menu of a narrow screen', async ({ page, signIn }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await signIn('admin');
    await page.goto('/');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'API credentials' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('link', { name: 'API credentials' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'API credentials' })).toBeVisible();
  });
});

test('the theme is chosen in the account menu and stored', async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('button', { name: /Practitioner/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('every page carries a policy that allows no inline script and no other host', async ({ page }) => {
  for (const path of ['/sign-in', '/checkout', '/choices', '/manage', '/playground', '/no-such-page']) {
    const policy = (await page.request.get(path)).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("object-src 'none'");
    expect(policy).toMatch(/script-src [^;]*'nonce-/);
    expect(policy).not.toMatch(/script-src [^;]*'unsafe-(inline|eval)'/);
    expect(policy).toMatch(/style-src [^;]*'nonce-/);
    expect(policy).not.toMatch(/style-src [^;]*'unsafe-inline'/);
  }
});
