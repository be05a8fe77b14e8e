import { PORTAL_HEADERS } from './api.ts';
import { expect, test } from './fixtures.ts';

test('staff see an email to a patient arrive in the inbox and follow its link', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  const { id } = await api.subscribe(patient.id, 'paid');
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('searchbox', { name: 'Search by address or words' }).fill(patient.email ?? '');
  await expect(page.getByText('No message matches')).toBeVisible();
  await page.request.post('/api/trpc/subscriptions.createCheckoutLink', {
    headers: PORTAL_HEADERS,
    data: { subscription_id: id, send: true },
  });
  const message = page.getByRole('article').filter({ hasText: `To ${patient.email}` });
  const [opened] = await Promise.all([page.waitForEvent('popup'), message.getByRole('link').click()]);
  await expect(opened.getByRole('heading', { level: 1, name: 'Complete your payment' })).toBeVisible();
});
