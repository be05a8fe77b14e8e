import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { inServedDatabase } from './served-database.ts';

/** Changes the third entry of the tenant's log, which only the database's owner can: triggers are disabled. */
const tamper = (change: string) =>
  inServedDatabase(
    `set session_replication_role = replica;
     update audit_entries set object_id = ${change} where id = (
       select s.entry_id from audit_seals s join tenants t on t.id = s.tenant_id
       where s.position = 3 order by t.created_at limit 1)`,
  );

test('an admin sees that the log is intact, that it was tampered with, and what to do', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  test.setTimeout(90_000);
  await signIn('admin');
  await page.goto('/settings/audit');
  const card = page.getByRole('region', { name: 'Is the log intact?' });
  await expect(card.getByText(/Sealed up to entry [\d,]+/)).toBeVisible();
  const check = card.getByRole('button', { name: 'Check now' });
  await check.click();
  await expect(card.getByRole('heading', { name: 'The log is intact' })).toBeVisible({ timeout: 20_000 });
  await expectAccessible(page);

  await tamper("object_id || '!'");
  try {
    await check.click();
    await expect(card.getByRole('heading', { name: 'The log was tampered with' })).toBeVisible({ timeout: 20_000 });
    await expect(card.getByText(/^Entry 3 of \w+ \d+, \d+ was changed after it was written\.$/)).toBeVisible();
    await expect(card.getByText(/npm run audit:verify/)).toBeVisible();
    await expectAccessible(page);

    await page.goto('/settings/system');
    const notice = page.getByRole('alert').filter({ hasText: 'Entry 3 of' });
    await expect(notice).toBeVisible();
    await expectAccessible(page);
    await notice.getByRole('link', { name: 'See the audit log' }).click();
    await expect(card.getByRole('heading', { name: 'The log was tampered with' })).toBeVisible();
  } finally {
    await tamper('left(object_id, -1)');
  }
  await check.click();
  await expect(card.getByRole('heading', { name: 'The log is intact' })).toBeVisible({ timeout: 20_000 });
  await page.goto('/settings/system');
  await expect(page.getByText('Nothing has failed')).toBeVisible();
  await expect(page.getByText('tampered')).toHaveCount(0);
});
