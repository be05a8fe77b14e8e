import type { Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { CARDS, payWith } from './stripe.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** Starts a subscription on the patient's page as staff, and copies the payment link. */
async function linkFromPortal(page: Page, patient: PatientView, plan: RegExp): Promise<string> {
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'New subscription' }).click();
  await page.getByRole('radio', { name: plan }).click();
  await page.getByRole('button', { name: 'Create subscription' }).click();
  const created = page.getByRole('dialog', { name: 'Subscription created' });
  await created.getByRole('button', { name: 'Copy link' }).click();
  await expect(created.getByRole('button', { name: 'Copied' })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await created.getByRole('button', { name: 'Done' }).click();
  return link;
}

const successHeading = (visitor: Page) => visitor.getByRole('heading', { level: 1, name: 'You are all set' });

test('a patient pays with a good card, and the link cannot pay a second time', async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  const link = await linkFromPortal(page, patient, /^Essential care \S/);
  await visitor.goto(link);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Complete your payment' })).toBeVisible();
  await expect(visitor.getByText('$49.00 per month')).toBeVisible();
  expect(visitor.url(), 'the token leaves the address bar').not.toContain('#');
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expect(successHeading(visitor)).toBeVisible();
  const [subscription] = await api.call<{ status: string }[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(subscription).toMatchObject({ status: 'active' });

  await visitor.goto('about:blank');
  await visitor.goto(link);
  await expect(successHeading(visitor)).toBeVisible();
  await expect(visitor.getByLabel('Card number')).toBeHidden();

  await page.reload();
  const subscriptions = page.getByRole('table', { name: `Subscriptions of ${patientName(patient)}` });
  await expect(subscriptions.getByRole('row', { name: /Essential care.*Active/ })).toBeVisible();
});

test('a declined card is explained, and another card pays on the same page', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/402/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await visitor.goto(await linkFromPortal(page, patient, /^Essential care \S/));
  await visitor.getByLabel('Card number').waitFor();
  await visitor.getByRole('button', { name: /^Pay \$/ }).click();
  await expect(visitor.getByText('Your card number is incomplete.')).toHaveCount(1);
  await payWith(visitor, CARDS.declined, /^Pay \$/);
  await expect(visitor.getByRole('alert').filter({ hasText: 'Your card was declined.' }).first()).toBeVisible();
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expect(successHeading(visitor)).toBeVisible();
  await visitor.reload();
  await expect(successHeading(visitor)).toBeVisible();
});

test('a card that requires 3-D Secure pays once its holder confirms, and not before', async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await visitor.goto(await linkFromPortal(page, patient, /^Essential care \S/));
  const bank = visitor.getByRole('dialog', { name: '3-D Secure authentication' });

  await payWith(visitor, CARDS.authenticates, /^Pay \$/);
  await bank.getByRole('button', { name: 'Fail authentication' }).click();
  await expect(visitor.getByText(/unable to authenticate/).first()).toBeVisible();
  const [subscription] = await api.call<{ status: string }[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(subscription).toMatchObject({ status: 'incomplete' });

  await payWith(visitor, CARDS.authenticates, /^Pay \$/);
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(successHeading(visitor)).toBeVisible();
});

test('a trial saves a card and charges nothing', { tag: '@prove' }, async ({ page, visitor, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await visitor.goto(await linkFromPortal(page, patient, /^Complete care/));
  await expect(visitor.getByRole('heading', { level: 1, name: 'Save a card' })).toBeVisible();
  await expect(visitor.getByText('Nothing is charged today.')).toBeVisible();
  await payWith(visitor, CARDS.good, /^Save card$/);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Your card is saved' })).toBeVisible();
  const [subscription] = await api.call<{ status: string }[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(subscription).toMatchObject({ status: 'trialing', next_action: 'none' });
});

test('the emailed link is the one that was copied', { tag: '@prove' }, async ({ page, visitor, signIn, api }) => {
  const patient = await api.createPatient();
  await api.subscribe(patient.id, 'paid');
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Payment link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Payment link' });
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole('button', { name: 'Email it to the patient' }).click();
  await expect(dialog.getByRole('status').filter({ hasText: `Sent to ${patient.email}` })).toBeVisible();

  const mailed = linkIn(await awaitMail(patient.email ?? ''));
  expect(mailed).toBe(copied);
  await visitor.goto(mailed);
  await payWith(visitor, CARDS.good, /^Pay \$/);
  await expect(successHeading(visitor)).toBeVisible();
});

test('a patient who returns from a declined authentication sees why, and has the card fields at once', {
  tag: '@prove',
}, async ({ visitor, api }) => {
  const patient = await api.createPatient();
  const { id } = await api.subscribe(patient.id, 'paid');
  for (const step of ['checkout', 'manage']) {
    const { url } = await api.call<{ url: string }>(`/subscriptions/${id}/${step}_link`, {});
    await visitor.goto(url);
    await visitor.getByLabel('Card number').waitFor();
    await visitor.goto(`/${step}?redirect_status=failed`);
    await expect(visitor.getByLabel('Card number')).toBeVisible();
    if (step === 'checkout') await expect(visitor.getByRole('alert').filter({ hasText: 'bank said no' })).toBeVisible();
  }
});

test('a payment page without its link says what to do', { tag: '@prove' }, async ({ visitor }) => {
  await visitor.goto('/checkout');
  await expect(visitor.getByText(/Open the whole link from your message/)).toBeVisible();
});

test('staff cancels a subscription at the end of its period and at once', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await api.subscribe(patient.id, 'trial');
  await signIn('billing');
  await page.goto(`/patients/${patient.id}`);
  const cancel = async (when: RegExp) => {
    await page
      .getByRole('table', { name: /^Subscriptions of/ })
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Cancel subscription' }).click();
    const confirmation = page.getByRole('alertdialog');
    await confirmation.getByRole('radio', { name: when }).click();
    await confirmation.getByRole('button', { name: 'Cancel subscription' }).click();
  };
  await cancel(/After one paid period/);
  await expect(page.getByText('Subscription ends with its period')).toBeVisible();
  await cancel(/^Now/);
  await expect(page.getByText('Subscription canceled')).toBeVisible();
  await page
    .getByRole('table', { name: /^Subscriptions of/ })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await expect(page.getByRole('menuitem')).toHaveText(['What happened']);
  const [subscription] = await api.call<{ status: string }[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(subscription).toMatchObject({ status: 'canceled' });
});
