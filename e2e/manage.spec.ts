import type { Page } from '@playwright/test';
import type { PlanView } from '#contract/subscriptions.ts';
import type { Api } from './api.ts';
import { expectAccessibleAndFits, expectFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { openTab, signUpByPhone } from './playground.ts';
import { authenticate, CARDS, clinicStripe, payWith } from './stripe.ts';

test.describe.configure({ mode: 'parallel' });

type Kind = 'paid' | 'trial';
/** Creates a subscription with the links to its pages. */
async function createManaged(api: Api, kind: Kind) {
  const patient = await api.createPatient();
  const { id } = await api.subscribe(patient.id, kind);
  const link = (step: 'manage' | 'checkout') =>
    api.call<{ url: string }>(`/subscriptions/${id}/${step}_link`, {}).then(({ url }) => url);
  return { id, patient, link };
}
const expectStatus = (visitor: Page, text: string | RegExp) =>
  expect(visitor.getByRole('status').filter({ hasText: text })).toBeVisible();
const expectBadge = (visitor: Page, label: string) =>
  expect(visitor.getByText(label, { exact: true }).first()).toBeVisible();

test('a plan is changed at the displayed price, canceled, and the cancellation reverted', async ({ visitor, api }) => {
  const { id, link } = await createManaged(api, 'paid');
  await visitor.goto(await link('checkout'));
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expect(visitor.getByRole('heading', { level: 1, name: 'You are all set' })).toBeVisible();

  await visitor.goto(await link('manage'));
  await expect(visitor.getByRole('heading', { level: 1, name: 'Essential care' })).toBeVisible();
  expect(visitor.url(), 'the token leaves the address bar').not.toContain('#');
  await expectBadge(visitor, 'Active');
  await expect(visitor.getByText('Visa ending in 4242')).toBeVisible();
  await expect(visitor.getByText(/^\$49\.00 on /)).toBeVisible();
  await expect(visitor.getByRole('link', { name: /^Receipt/ })).toHaveAttribute('href', /^http/);

  await visitor.getByRole('button', { name: 'Change plan' }).click();
  const plans = visitor.getByRole('radiogroup', { name: 'Other plans' });
  await plans
    .getByRole('radio', { name: /per month/ })
    .first()
    .click();
  await expect(visitor.getByText(/charged today\. Your next bill is \$/)).toBeVisible();
  await visitor.getByRole('button', { name: 'Change to this plan' }).click();
  await expectStatus(visitor, /^Your plan is .+ now\.$/);
  const changed = await api.subscription(id);
  const plan = (await api.call<PlanView[]>('/subscription_plans')).find(
    (candidate) => candidate.id === changed.price_ids[0],
  )!;
  expect(plan.name).not.toBe('Essential care');
  await expect(visitor.getByRole('heading', { level: 1, name: plan.name })).toBeVisible();

  await visitor.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(visitor.getByRole('heading', { name: /^Cancel / })).toBeFocused();
  await visitor.getByRole('button', { name: 'Cancel subscription' }).click();
  await expectStatus(visitor, 'Your subscription is canceled.');
  await expectBadge(visitor, 'Ending');
  expect((await api.subscription(id)).cancel_at_period_end).toBe(true);
  await visitor.getByRole('button', { name: 'Keep my subscription' }).click();
  await expectStatus(visitor, 'It goes on as before.');
  expect(await api.subscription(id)).toMatchObject({ cancel_at: null, status: 'active' });
});

test('a card is changed after a payment failed, and pays that bill at once', async ({ visitor, api }) => {
  const { id, link } = await createManaged(api, 'trial');
  await visitor.goto(await link('checkout'));
  await payWith(visitor, CARDS.failsLater, /^Save card$/);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Your card is saved' })).toBeVisible();
  await clinicStripe().endTrial(id);

  await visitor.goto(await link('manage'));
  await expectBadge(visitor, 'Payment overdue');
  await expect(visitor.getByText(/did not go through/)).toBeVisible();
  await expect(visitor.getByText('To be paid')).toBeVisible();
  await payWith(visitor, CARDS.authenticates, /^Pay \$/);
  await authenticate(visitor);
  await expectStatus(visitor, 'Thank you, your payment has arrived.');
  await expectBadge(visitor, 'Active');
  await expect(visitor.getByText('Visa ending in 3184')).toBeVisible();
  expect(await api.subscription(id)).toMatchObject({ status: 'active', next_action: 'none' });
});

test('another card is saved for future bills, also one that requires 3-D Secure', { tag: '@prove' }, async ({
  visitor,
  api,
  watch,
}) => {
  watch.allow(/402/);
  const { link } = await createManaged(api, 'trial');
  await visitor.goto(await link('manage'));
  await expectBadge(visitor, 'Free trial');
  await payWith(visitor, CARDS.good, /^Save card$/);
  await expectStatus(visitor, 'Your card is saved.');
  await expect(visitor.getByText('Visa ending in 4242')).toBeVisible();

  await visitor.getByRole('button', { name: 'Change card' }).click();
  await payWith(visitor, CARDS.declined, /^Save card$/);
  await expect(visitor.getByRole('alert').filter({ hasText: 'declined' }).first()).toBeVisible();
  await payWith(visitor, CARDS.authenticates, /^Save card$/);
  await authenticate(visitor);
  await expectStatus(visitor, 'It is saved.');
  await expect(visitor.getByText('Visa ending in 3184')).toBeVisible();
});

test('a subscription that was canceled in the meantime is shown as ended, without thanks for a payment', {
  tag: '@prove',
}, async ({ visitor, api, watch }) => {
  watch.tolerate(/400/);
  const { id, link } = await createManaged(api, 'paid');
  await visitor.goto(await link('manage'));
  await visitor.getByLabel('Card number').waitFor();
  await api.call(`/subscriptions/${id}/cancel`, {});
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expectBadge(visitor, 'Ended');
  await expect(visitor.getByText(/Nothing more is charged/)).toBeVisible();
  await expect(visitor.getByText(/has arrived/)).toHaveCount(0);
});

test('a canceled trial ends unpaid on its last day', { tag: '@prove' }, async ({ visitor, api }) => {
  const { id, link } = await createManaged(api, 'trial');
  await visitor.goto(await link('manage'));
  await visitor.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(visitor.getByText(/Nothing is charged, and you can change your mind/)).toBeVisible();
  await visitor.getByRole('button', { name: 'Cancel subscription' }).click();
  await expectStatus(visitor, 'Your subscription is canceled.');
  const { cancel_at, trial_end } = await api.subscription(id);
  expect(cancel_at).toBe(trial_end);
});

test('staff email the link, and a new one revokes it', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/404/);
  const { patient, link } = await createManaged(api, 'trial');
  await signIn('billing');
  await page.goto(`/patients/${patient.id}`);
  await page
    .getByRole('table', { name: /^Subscriptions of/ })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Link to manage' }).click();
  const dialog = page.getByRole('dialog', { name: 'Link to manage' });
  await dialog.getByRole('button', { name: 'Email it to the patient' }).click();
  await expect(dialog.getByText(`Sent to ${patient.email}.`)).toBeVisible();
  const mailed = linkIn(await awaitMail(patient.email ?? ''));
  await visitor.goto(mailed);
  await expectBadge(visitor, 'Free trial');
  await dialog.getByRole('button', { name: 'New link' }).click();
  await expect(dialog.getByText('There is a new link')).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByText('This page cannot be opened')).toBeVisible();
  // In the same tab, where only the fragment changes.
  await visitor.goto(await link('manage'));
  await expectBadge(visitor, 'Free trial');
});

test('the page is accessible and fits in light and dark, wide and narrow, with each section open', {
  tag: '@prove',
}, async ({ visitor, api }) => {
  test.slow();
  const { link } = await createManaged(api, 'paid');
  const url = await link('manage');
  await visitor.goto(url);
  await visitor.getByLabel('Card number').waitFor();
  await expectAccessibleAndFits(visitor);
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expectStatus(visitor, 'Thank you, your payment has arrived.');
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(visitor).toHaveTitle(/\S · Carelane$/);
  await expectAccessibleAndFits(visitor);
  await visitor.getByRole('button', { name: 'Change plan' }).click();
  await visitor.getByRole('radio').first().click();
  await visitor.getByText(/charged today/).waitFor();
  await visitor.getByRole('button', { name: 'Cancel subscription' }).click();
  await expectFits(visitor);
  await expectAccessibleAndFits(visitor);
});

test('a signed-in patient opens it from the playground', { tag: '@prove' }, async ({ visitor, api }) => {
  const patientId = await signUpByPhone(visitor, api);
  const { id, name } = await api.subscribe(patientId, 'trial');
  await visitor.reload();
  await openTab(visitor, 'Plan');
  const popup = visitor.waitForEvent('popup');
  await visitor.getByRole('button', { name: 'Bills, card and plan' }).click();
  const manage = await popup;
  await expect(manage.getByRole('heading', { level: 1, name: name ?? '' })).toBeVisible();
  await expectBadge(manage, 'Free trial');
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('without its link the page says what to do', { tag: '@prove' }, async ({ visitor }) => {
  await visitor.goto('/manage');
  await expect(visitor.getByText(/Open the whole link from your message/)).toBeVisible();
});
