import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { inServedDatabase } from './served-database.ts';

/**
 * Inserts a job with 25 failed attempts into the queue of the served copy, the last an hour ago: real ones take days.
 */
const insertFailedJob = (error: string) =>
  inServedDatabase(
    `insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts, last_error, run_at)
     select task.id, json_build_object('tenantId', tenant.id, 'appointmentId', gen_random_uuid()), 25, 25, $1,
       now() - interval '1 hour' + exp(10) * interval '1 second'
     from graphile_worker._private_tasks task, tenants tenant where identifier = 'resolve_appointment'`,
    [error],
  );

test('an admin sees failed background jobs, and retries them', async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'System' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'System' })).toBeVisible();
  await expect(page.getByText('Nothing has failed')).toBeVisible();

  await insertFailedJob('provider_unavailable: Acuity did not answer in time.');
  await insertFailedJob('connect ECONNREFUSED secret-host:5432');
  await page.reload();
  const providerError = page.getByRole('row').filter({ hasText: 'Acuity did not answer in time.' });
  await expect(providerError.getByText('Find out the result of a booking or change')).toBeVisible();
  await expect(page.getByText('Something unexpected went wrong.')).toBeVisible();
  await expect(page.getByText('secret-host')).toHaveCount(0);
  await expectAccessible(page);

  await providerError.getByRole('button', { name: /^Try again/ }).click();
  await expect(page.getByText('It is being tried again')).toBeVisible();
  await expect(providerError).toHaveCount(0);
  await page.getByRole('button', { name: /^Try again/ }).click();
  await expect(page.getByText('Nothing has failed')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Nothing has failed')).toBeVisible();
});
