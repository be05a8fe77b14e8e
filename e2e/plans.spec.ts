import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';

test('an administrator makes a plan and a promotion code, changes the price, and archives the plan', async ({
  page,
  signIn,
}) => {
  const name = `Evening care ${randomSuffix()}`;
  await signIn('admin');
  await page.goto('/plans');
  const plans = page.getByRole('region', { name: 'Plans' });
  const row = (price: string) => plans.getByRole('row').filter({ hasText: name }).filter({ hasText: price });

  await page.getByRole('button', { name: 'New plan' }).click();
  const dialog = page.getByRole('dialog');
  const preview = dialog.getByRole('region', { name: 'What a patient sees' });
  await expect(preview).toContainText('Write a price to see it.');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Price in USD').fill('39');
  await expect(preview).toContainText('$39.00 per month, charged to this card each time until you cancel.');
  await dialog.getByLabel('Free trial in days').fill('14');
  await expect(preview).toContainText(/Free until .+, then \$39\.00 per month\. Nothing is charged today\./);
  await dialog.getByRole('button', { name: 'Make plan' }).click();
  await expect(row('$39.00 per month')).toContainText('14 days');

  await row('$39.00')
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Change price…' }).click();
  await expect(dialog).toContainText('No live subscription has it.');
  await dialog.getByLabel('Price in USD').fill('45');
  await dialog.getByRole('button', { name: 'Change price' }).click();
  await expect(row('$45.00 per month')).toContainText('Offered');
  await expect(row('$39.00')).toHaveCount(0);

  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name: 'Subscriptions' }).click();
  await page.getByRole('button', { name: 'New subscription' }).click();
  const offered = page.getByRole('radiogroup', { name: 'Plan' }).getByRole('radio').filter({ hasText: name });
  await expect(offered).toHaveText(/\$45\.00 per month/);

  await page.keyboard.press('Escape');
  await menu.getByRole('link', { name: 'Plans' }).click();
  await row('$45.00')
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Archive…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive plan' }).click();
  await expect(row('$45.00')).toHaveCount(0);
  await page.getByLabel('Show').selectOption('Archived');
  await expect(row('$45.00')).toContainText('Archived');
  await expect(row('$39.00')).toContainText('Archived');

  await page.getByRole('button', { name: 'Promotion codes' }).click();
  await page.getByRole('button', { name: 'New code' }).first().click();
  const code = `EVENING-${randomSuffix()}`;
  await dialog.getByLabel('Code', { exact: false }).first().fill(code);
  await dialog.getByLabel('Discount', { exact: true }).fill('20');
  await expect(dialog.getByText('Patients get 20% off the first bill.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Make code' }).click();
  await expect(page.getByRole('row').filter({ hasText: code })).toContainText('Valid');
});

test('a promotion code is archived and made valid again', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('billing');
  await page.goto('/plans');
  await page.getByRole('button', { name: 'New plan' }).click();
  await page.getByRole('dialog').getByLabel('Price in USD').fill('39');
  await page.getByText('$39.00 per month, charged to this card').waitFor();
  await expectAccessible(page);
  await page.goto('/plans?view=codes');
  await page.getByRole('button', { name: 'New code' }).first().click();
  const dialog = page.getByRole('dialog');
  const code = `AGAIN-${randomSuffix()}`;
  await dialog.getByLabel('Code', { exact: false }).first().fill(code);
  await dialog.getByLabel('Discount', { exact: true }).fill('20');
  await dialog.getByLabel('Essential care').first().check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Make code' }).click();
  const row = page.getByRole('row').filter({ hasText: code });
  await expect(row).toContainText('Essential care');
  await row.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Archive…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive code' }).click();
  await expect(row).toContainText('Archived');
  await row.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Make valid again' }).click();
  await expect(row).toContainText('Valid');
});
