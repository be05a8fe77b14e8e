import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import Stripe from 'stripe';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { cardFile, readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { openNewClinic } from './open-new-clinic.ts';

/** Client for actions in Stripe's own dashboard. */
function dashboard(): Stripe {
  const { hostname, port } = new URL(readCard().emulators.stripe);
  const { stripe } = JSON.parse(readFileSync(cardFile(), 'utf8'));
  return new Stripe(stripe.secret_key, { host: hostname, port, protocol: 'http', telemetry: false });
}

async function createPrice(account: string) {
  const options = { stripeAccount: account };
  const stripe = dashboard();
  const product = await stripe.products.create({ name: 'Lakeside care' }, options);
  const recurring = { currency: 'usd', unit_amount: 4900, recurring: { interval: 'month' as const } };
  return { options, price: await stripe.prices.create({ product: product.id, ...recurring }, options) };
}

const card = (page: Page): Locator => page.getByRole('region', { name: 'Stripe', exact: true });
const onboardingHeading = (page: Page) => page.getByRole('heading', { name: 'Connect your business' });

test.describe('Stripe', () => {
  test.slow();

  test('is connected in a new clinic and configured', async ({ page }) => {
    await openNewClinic(page);
    await page.goto('/settings/integrations');
    await expect(card(page)).toContainText('An account that you have already cannot be used.');
    await card(page).getByRole('button', { name: 'Connect' }).click();
    await onboardingHeading(page).waitFor();
    const usedLink = page.url();
    await page.getByRole('button', { name: 'Leave for later' }).click();

    const requirements = page.getByRole('region', { name: 'Still required' });
    await expect(requirements).toContainText('A bank account for payouts');
    await expect(card(page)).toContainText('Onboarding at Stripe is not finished.');
    await expect(card(page).getByText(/^acct_/)).toBeVisible();
    await expect(card(page).getByText(/^pk_test_/)).toBeVisible();
    await expectAccessible(page);
    const account = await card(page)
      .getByText(/^acct_/)
      .innerText();

    // A link works once; a used one leads to a new one automatically.
    await page.goto(usedLink);
    await onboardingHeading(page).waitFor();
    expect(page.url()).not.toBe(usedLink);
    await page.getByRole('button', { name: 'Complete onboarding' }).click();
    await expect(card(page)).toContainText('There is no active recurring price');
    await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
    await expect(requirements).toBeHidden();

    await createPrice(account);
    await card(page).getByRole('button', { name: 'Check now' }).click();
    await expect(card(page)).not.toContainText('There is no active recurring price');

    const rules = page.getByRole('region', { name: 'Rules for subscriptions' });
    await rules.getByLabel('Days of grace').fill('3');
    await rules.getByLabel('Patients may cancel by themselves').click();
    const trialEnd = rules.getByLabel('When a trial ends without a card');
    await trialEnd.selectOption({ label: 'It pauses until there is a card' });
    await rules.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Rules saved').waitFor();
    await page.reload();
    await expect(rules.getByLabel('Days of grace')).toHaveValue('3');
    await expect(rules.getByLabel('Patients may cancel by themselves')).not.toBeChecked();
    await expect(trialEnd).toHaveValue('pause');
  });

  test('shows subscriptions of unknown customers, is disconnected, and connected again', { tag: '@prove' }, async ({
    page,
  }) => {
    await openNewClinic(page);
    await page.goto('/settings/integrations');
    await card(page).getByRole('button', { name: 'Connect' }).click();
    await onboardingHeading(page).waitFor();
    await page.getByRole('button', { name: 'Complete onboarding' }).click();
    await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
    const formerAccount = await card(page)
      .getByText(/^acct_/)
      .innerText();
    const stripe = dashboard();
    const { options, price } = await createPrice(formerAccount);

    // A customer is subscribed in Stripe's dashboard, and turns out to be a patient.
    const headers = PORTAL_HEADERS;
    const response = await page.request.post('/api/trpc/patients.create', {
      headers,
      data: { first_name: 'Maple', last_name: 'Example', email: 'maple@example.test' },
    });
    expect(response.ok()).toBe(true);
    for (const name of ['One', 'Two']) {
      const customer = await stripe.customers.create({ name }, options);
      await stripe.subscriptions.create(
        { customer: customer.id, items: [{ price: price.id }], trial_period_days: 9 },
        options,
      );
    }
    const unknownSubscriptions = page.getByRole('region', { name: 'Subscriptions of unknown customers' });
    await expect(async () => {
      await page.reload();
      await expect(unknownSubscriptions.getByRole('listitem')).toHaveCount(2, { timeout: 10_000 });
    }).toPass();
    await unknownSubscriptions
      .getByRole('button', { name: /^Attach Lakeside care/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Attach Lakeside care to a patient' });
    await dialog.getByRole('combobox', { name: 'Patient' }).fill('Maple');
    await page.getByRole('option', { name: /Maple Example/ }).click();
    await dialog.getByRole('button', { name: 'Attach' }).click();
    await page.getByText('It is Maple Example’s now').waitFor();
    await expect(unknownSubscriptions.getByRole('listitem')).toHaveCount(1);
    await unknownSubscriptions.getByRole('button', { name: /^Leave Lakeside care/ }).click();
    await expect(unknownSubscriptions).toBeHidden();

    await card(page).getByRole('button', { name: 'Disconnect' }).click();
    const confirmation = page.getByRole('alertdialog', { name: 'Disconnect Stripe?' });
    await expect(confirmation).toContainText('At Stripe nothing ends');
    await expectAccessible(page);
    await confirmation.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Stripe is disconnected').waitFor();
    await expect(card(page)).toContainText(`The account ${formerAccount} was disconnected.`);

    await card(page).getByRole('button', { name: 'Connect' }).click();
    await onboardingHeading(page).waitFor();
    await page.getByRole('button', { name: 'Complete onboarding' }).click();
    await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
    await expect(
      card(page)
        .getByText(/^acct_/)
        .first(),
    ).not.toHaveText(formerAccount);
    await expect(card(page)).toContainText('belongs to an account that is no longer connected');
    await page.goto('/subscriptions');
    await expect(page.getByRole('region', { name: 'Subscriptions' })).toContainText('Maple Example');
    await page.getByRole('link', { name: 'Maple Example' }).click();
    await expect(page.getByRole('region', { name: 'Status' })).toContainText('not connected any more');
    await expect(page.getByRole('button', { name: 'More actions' })).toBeVisible();
    for (const name of ['Payment link', 'Change plan']) await expect(page.getByRole('button', { name })).toHaveCount(0);
  });
});
