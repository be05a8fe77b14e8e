import type { Page } from '@playwright/test';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { patientName } from './api.ts';
import { createSubscription } from './create-subscription.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/subscriptions/${id}`);
  await expect(page.getByRole('region', { name: 'Status' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'What happened' }).getByRole('listitem').first()).toBeVisible();
}
const timeline = (page: Page) => page.getByRole('region', { name: 'What happened' });
const summary = (page: Page) => page.getByRole('region', { name: 'Status' });

test('unpaid subscriptions are listed by one click, and each patient gets a link at once', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  const [one, two] = [await api.createPatient('Wren'), await api.createPatient('Piet')];
  const subscriptions = [await api.subscribe(one.id, 'paid'), await api.subscribe(two.id, 'paid')];
  await signIn('billing');
  await page.goto('/subscriptions');
  const table = page.getByRole('table', { name: 'Subscriptions' });
  await expect(table.getByRole('row').nth(1)).toBeVisible();
  await page.getByRole('button', { name: 'Needs attention' }).click();
  await expect(page).toHaveURL(/attention=1/);
  await expect(table.getByText('Active', { exact: true })).toHaveCount(0);
  for (const patient of [one, two])
    await table.getByRole('checkbox', { name: `Choose ${patientName(patient)}` }).check();
  await page.getByRole('button', { name: 'Send payment links' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send to 2 patients' }).click();
  await expect(dialog.getByText('Sent to 2 patients.')).toBeVisible();
  await expect(dialog.getByRole('list')).toContainText(`Sent to ${one.email}`);
  await dialog.getByRole('button', { name: 'Done' }).click();

  // A repetition sends no second message.
  for (const patient of [one, two])
    await table.getByRole('checkbox', { name: `Choose ${patientName(patient)}` }).check();
  await page.getByRole('button', { name: 'Send payment links' }).click();
  await dialog.getByRole('button', { name: 'Send to 2 patients' }).click();
  await expect(dialog.getByText(/a few minutes ago, so not again/)).toHaveCount(2);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await visitor.goto(linkIn(await awaitMail(one.email ?? '')));
  await expect(visitor.getByRole('heading', { level: 1, name: 'Complete your payment' })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  expect((await download).suggestedFilename()).toMatch(/^subscriptions-.*\.csv$/);
  await page.reload();
  await expect(table.getByRole('link', { name: patientName(two) })).toBeVisible();
  for (const { id } of subscriptions) await api.call(`/subscriptions/${id}/cancel`, {});
});

test('subscriptions are filtered by status and plan, and the URL reflects it', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const [unpaid, trial] = [await api.createPatient('Wren'), await api.createPatient('Piet')];
  const subscriptions = [await api.subscribe(unpaid.id, 'paid'), await api.subscribe(trial.id, 'trial')] as const;
  await signIn('practitioner');
  await page.goto('/subscriptions');
  const table = page.getByRole('table', { name: 'Subscriptions' });
  const linkOf = (patient: typeof unpaid) => table.getByRole('link', { name: patientName(patient) });
  for (const patient of [unpaid, trial]) await expect(linkOf(patient)).toBeVisible();
  await page.getByRole('button', { name: /^Status: / }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Trial', exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/status=trialing/);
  await expect(linkOf(unpaid)).toHaveCount(0);
  await expect(linkOf(trial)).toBeVisible();
  await page.getByLabel('Plan', { exact: true }).selectOption(subscriptions[0].price_ids[0]!);
  await expect(linkOf(trial)).toHaveCount(0);
  await page.goto(`/subscriptions?plan=${subscriptions[0].price_ids[0]}`);
  await expect(linkOf(unpaid)).toBeVisible();
  await expect(linkOf(trial)).toHaveCount(0);
  for (const { id } of subscriptions) await api.call(`/subscriptions/${id}/cancel`, {});
});

test('a patient’s page has the card and the amount of the next bill', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { id, patient } = await createSubscription(api, 'paid');
  const { plan_price } = await api.subscription(id);
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const payment = page.getByRole('region', { name: 'Payment', exact: true });
  await expect(payment).toContainText('Visa, ending in 4242');
  await expect(payment).toContainText(`$${(plan_price! / 100).toFixed(2)}`);
  await expect(payment.getByText('To be paid')).toHaveCount(0);
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('a change to a plan that the patient has already must be confirmed', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const { id, patient } = await createSubscription(api, 'paid');
  const other = await api.subscribe(patient.id, 'trial');
  await signIn('practitioner');
  await open(page, id);
  await page.getByRole('button', { name: 'Change plan' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the plan' });
  await dialog.getByRole('radio', { name: new RegExp(`^${other.name}`) }).click();
  await expect(dialog.getByRole('alert')).toContainText(`already has a subscription to ${other.name}`);
  const submit = dialog.getByRole('button', { name: 'Change plan' });
  await expect(submit).toBeDisabled();
  await dialog.getByRole('button', { name: 'Change it anyway' }).click();
  await submit.click();
  await expect(dialog).toHaveCount(0);
  expect((await api.subscription(id)).price_ids).toEqual(other.price_ids);
  for (const one of [id, other.id]) await api.call(`/subscriptions/${one}/cancel`, {});
});

test('a plan is changed at the displayed price, and not before it is displayed', async ({ page, signIn, api }) => {
  const { id } = await createSubscription(api, 'paid');
  await signIn('practitioner');
  await open(page, id);
  const before = await api.subscription(id);
  await expect(summary(page)).toContainText('$');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/trpc/*subscriptions.preview*', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Change plan' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the plan' });
  await dialog.getByRole('radio').first().click();
  const submit = dialog.getByRole('button', { name: 'Change plan' });
  await expect(submit).toBeDisabled();
  release();
  const costs = dialog.locator('dl', { hasText: 'To pay now' });
  await expect(costs).toContainText('$');
  const request = page.waitForRequest(/subscriptions\.update/);
  await submit.click();
  expect((await request).postData()).toMatch(/"quantities":\[1\].*"proration_date":/);
  await expect(dialog).toHaveCount(0);
  const changed = await api.subscription(id);
  expect(changed.price_ids).not.toEqual(before.price_ids);
  await expect(page.getByRole('heading', { level: 1, name: changed.name ?? '' })).toBeVisible();
  await expect(timeline(page)).toContainText(
    changed.name === before.name ? 'The plan was changed' : `Changed from ${before.name} to ${changed.name}`,
  );
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('a payment is refunded in part, and then the rest', async ({ page, signIn, api }) => {
  const { id, patient } = await createSubscription(api, 'paid', 'Ines');
  await signIn('billing');
  await open(page, id);
  const payments = page.getByRole('table', { name: /^Payments of/ });
  await expect(payments).toContainText('Paid');
  const refund = async (amount: string | null) => {
    await payments.getByRole('button', { name: 'Invoice' }).click();
    await page.getByRole('menuitem', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund a payment' });
    const field = dialog.getByLabel(/^Amount/);
    await expect(field).not.toHaveValue('');
    if (amount !== null) {
      await field.fill('9999');
      await dialog.getByRole('button', { name: 'Refund' }).click();
      await expect(field).toHaveAccessibleDescription(/No more than .* is left/);
      await field.fill(amount);
    }
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await expect(dialog).toHaveCount(0);
  };
  await refund('10.50');
  await expect(payments).toContainText('Partly refunded');
  await expect(payments).toContainText('$10.50 refunded');
  await refund(null);
  await expect(payments.getByText('Refunded', { exact: true })).toBeVisible();
  await expect(timeline(page).getByText(/^Refunded \$/)).toHaveCount(2);

  await page.goto(`/patients/${patient.id}`);
  await expect(page.getByRole('table', { name: `Payments of ${patientName(patient)}` })).toContainText('Refunded');
  await expect(page.getByText('Visa, ending in 4242')).toBeVisible();
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('an end is planned, reverted, and then the subscription ends at once', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { id } = await createSubscription(api, 'paid');
  await signIn('billing');
  await open(page, id);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Cancel subscription');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(summary(page)).toContainText('No new period is billed');
  await choose('Keep it running');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep it running' }).click();
  await expect(summary(page)).toContainText('renews by itself');
  await choose('Cancel subscription');
  await page.getByRole('radio', { name: /^Now/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(summary(page)).toContainText('It has ended');
  await expect(page.getByRole('button', { name: 'Change plan' })).toHaveCount(0);
  await expect(timeline(page)).toContainText('A subscription was kept after all');
});

test('a trial is extended, and then ended, which bills it', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const { id } = await createSubscription(api, 'trial');
  await signIn('practitioner');
  await open(page, id);
  const openTrial = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Extend or end the trial' }).click();
    return page.getByRole('dialog', { name: 'Extend or end the trial' });
  };
  const first = await openTrial();
  const day = new Date(Date.now() + 60 * 24 * 3_600_000).toISOString().slice(0, 10);
  await first.getByLabel('The trial ends on').fill(day);
  await first.getByRole('button', { name: 'Save the new end' }).click();
  await expect(first).toHaveCount(0);
  const end = new Date((await api.subscription(id)).trial_end!);
  // The day in the reader's time zone.
  expect(end.toLocaleDateString('en-CA', { timeZone: 'America/New_York' })).toBe(day);
  const second = await openTrial();
  await second.getByRole('radio', { name: /^End it now/ }).click();
  await second.getByRole('button', { name: 'End the trial now' }).click();
  await expect(second).toHaveCount(0);
  await expect(summary(page)).toContainText('It is paid and renews');
  await expect(timeline(page)).toContainText('A trial was ended');
  const paid: SubscriptionView = await api.subscription(id);
  expect(paid.status).toBe('active');
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('the page of an unknown subscription says so', { tag: '@prove' }, async ({ page, signIn, watch }) => {
  watch.allow(/404|422/);
  await signIn('practitioner');
  await page.goto('/subscriptions/sub_nobody');
  await expect(page.getByText('There is no such subscription')).toBeVisible();
});
