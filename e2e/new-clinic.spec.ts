import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { openNewClinic } from './open-new-clinic.ts';
import { inServedDatabase } from './served-database.ts';

/** Sets the status that connecting leaves behind; connecting itself has its own tests. */
const connect = (email: string, provider: string, status: string) =>
  inServedDatabase(
    `insert into integrations (tenant_id, provider, status)
     select tenant_id, $2, $3 from staff_users where email = $1
     on conflict (tenant_id, provider) do update set status = excluded.status`,
    [email, provider, status],
  );

test.describe('a new clinic', () => {
  test.slow();

  test('sees its next steps on Today until each is done', { tag: '@prove' }, async ({ page, watch }) => {
    // The server rejects the plans of a clinic without an account.
    watch.allow(/422/);
    const email = await openNewClinic(page);
    const steps = page.getByRole('region', { name: 'Next steps' });
    const step = (title: string) => steps.getByRole('listitem').filter({ hasText: title });
    await expect(step('Connect payments')).toContainText('To do');
    await expect(step('Connect times')).toContainText('To do');
    await expect(step('Add the first patient')).toContainText('To do');
    await expectAccessible(page);

    await steps.getByRole('button', { name: 'Add patient' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add patient' });
    await dialog.getByLabel('First name').fill('Maple');
    await dialog.getByLabel('Last name').fill('Example');
    await dialog.getByRole('button', { name: 'Add patient' }).click();
    await page.getByRole('heading', { level: 1, name: 'Maple Example' }).waitFor();
    await page.goto('/');
    await expect(step('Add the first patient')).toContainText('Done');

    // Without an account, so that Stripe gets no request: no page of a patient is opened from here on.
    expect(await connect(email, 'stripe', 'degraded')).toBe(1);
    expect(await connect(email, 'acuity', 'connected')).toBe(1);
    await page.reload();
    await expect(step('Connect payments')).toContainText('Not finished');
    await expect(step('Connect times')).toContainText('Done');
    await expect(step('Connect times').getByRole('link')).toHaveCount(0);
    await step('Connect payments').getByRole('link', { name: 'Connect payments' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Integrations' })).toBeVisible();
    await connect(email, 'stripe', 'connected');
    await page.goto('/');
    await expect(step('Connect payments')).toContainText('Done');
    await page.getByText('No appointments today').waitFor();
    // Until its first appointment.
    for (const [title, action, heading] of [
      ['Make the first plan', 'Go to plans', 'Plans'],
      ['Add your logo', 'Add logo', 'Clinic'],
      ['Invite colleagues', 'Invite colleagues', 'Team'],
    ] as const) {
      await expect(step(title)).toContainText('To do');
      await step(title).getByRole('link', { name: action }).click();
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
      await page.goto('/');
    }
  });

  test('is offered the first action in each empty list', { tag: '@prove' }, async ({ page, watch }) => {
    // The server rejects the plans of a clinic without payments, which the page words as a first step.
    watch.allow(/422/);
    await openNewClinic(page);
    const LISTS: [path: string, list: string, action: string][] = [
      ['/patients', 'Patients', 'Add patient'],
      ['/appointments', 'Appointments', 'Book appointment'],
      ['/tasks', 'Tasks', 'New task'],
      ['/subscriptions', 'Subscriptions', 'New subscription'],
      ['/plans', 'Plans', 'Connect payments'],
      ['/inbox', 'Inbox', 'Go to patients'],
    ];
    for (const [address, list, action] of LISTS) {
      await page.goto(address);
      const region = page.getByRole('region', { name: list });
      await expect(
        region.getByRole('button', { name: action }).or(region.getByRole('link', { name: action })),
      ).toBeVisible();
    }
    await page.goto('/calendar');
    await expect(page.getByRole('link', { name: 'Connect times' })).toBeVisible();
    await expect(page.getByText('could not be loaded')).toHaveCount(0);
    await page.goto('/settings/credentials');
    const applications = page.getByRole('region', { name: 'Server applications' });
    await expect(applications.getByRole('button', { name: 'Create application' })).toBeVisible();
  });
});
