import type { Page } from '@playwright/test';
import type { CataloguePlanView, CatalogueView } from '#contract/plan-changes.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS, randomSuffix } from './api.ts';
import { expect, openListening, test } from './fixtures.ts';
import { press, visible } from './press.ts';

/** Calls a procedure as the signed-in user of the page. */
async function post(page: Page, procedure: string, data: object): Promise<void> {
  const response = await page.request.post(`/api/trpc/plans.${procedure}`, { headers: PORTAL_HEADERS, data });
  expect(response.status()).toBe(200);
}

async function planNamed(page: Page, name: string): Promise<CataloguePlanView> {
  const response = await page.request.get('/api/trpc/plans.listAll');
  const { result } = (await response.json()) as { result: { data: CatalogueView } };
  return result.data.items.find((plan) => plan.name === name) as CataloguePlanView;
}

const NO_DETAILS = { description: null, nickname: null, trial_period_in_days: null };

async function createPlan(page: Page, name: string): Promise<void> {
  const recurring = { interval: 'month', interval_count: 1 };
  const price = { unit_amount: 3900, currency: 'usd', recurring };
  await post(page, 'create', { request_id: crypto.randomUUID(), name, ...NO_DETAILS, ...price });
}

/** A plan as it is now. */
async function targetOf(page: Page, name: string) {
  const { price_id, version } = await planNamed(page, name);
  return { price_id, version };
}

async function choose(page: Page, plan: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${plan},` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

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
  await openListening(page, '/');
  await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox')));
  await page.getByRole('combobox').fill('new plan');
  await page.getByRole('option', { name: 'New plan' }).click();
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

test('a colleague’s change is not overwritten, and is there when the dialog is opened again', {
  tag: '@prove',
}, async ({ page, visitor, signIn, sessionOf, watch }) => {
  watch.allow(/409/);
  const name = `Morning care ${randomSuffix()}`;
  const theirs = `${name} of a colleague`;
  await signIn('admin');
  await visitor.context().addCookies((await sessionOf('billing')).cookies);
  await createPlan(page, name);
  await page.goto('/plans');
  const dialog = page.getByRole('dialog');
  const conflict = 'Someone else has changed this plan. Close this, and look at it again.';

  await choose(page, name, 'Edit…');
  await dialog.getByLabel('Label').fill('Monthly');
  await post(visitor, 'update', { ...(await targetOf(visitor, name)), ...NO_DETAILS, name: theirs });
  // The page reads the plans again when its window is looked at.
  const changedRow = page.locator('tr').filter({ hasText: theirs });
  const look = () => page.evaluate(() => void window.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => look().then(() => changedRow.count()), { timeout: 40_000 }).toBe(1);
  await expect(dialog.getByRole('heading', { name: `Edit ${name}`, exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Save plan' }).click();
  await expect(dialog.getByText(conflict)).toBeVisible();
  expect((await planNamed(page, theirs)).nickname).toBeNull();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await choose(page, theirs, 'Edit…');
  await expect(dialog.getByLabel('Name')).toHaveValue(theirs);
  await dialog.getByLabel('Label').fill('Monthly');
  await dialog.getByRole('button', { name: 'Save plan' }).click();
  await expect(page.getByRole('row').filter({ hasText: `${theirs} · Monthly` })).toBeVisible();

  // A plan that leaves the list takes no dialog with it.
  await choose(page, theirs, 'Change price…');
  await dialog.getByLabel('Price in USD').fill('45');
  const { price_id } = await targetOf(visitor, theirs);
  await post(visitor, 'archive', { price_id });
  await dialog.getByRole('button', { name: 'Change price' }).click();
  await expect(dialog.getByText('This plan is archived. Offer it again first.')).toBeVisible();
  await expect(changedRow).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();

  await page.getByLabel('Show').selectOption('Archived');
  await choose(page, theirs, 'Offer again…');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(`Offer ${theirs}, $39.00 per month, again?`);
  await question.getByRole('button', { name: 'Offer again' }).click();
  await expect(page.getByText('Plan offered again')).toBeVisible();
});

test('an error shows at its field, or at the form that does not have the field', { tag: '@prove' }, async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/422/);
  await signIn('admin');
  const reject = (procedure: string, pointer: string, people: string) =>
    page.route(`**/*plans.${procedure}*`, (route) => {
      const errors = [{ code: 'invalid_parameter', title: 'Invalid', people, source: { pointer } }];
      const data = { code: 'UNPROCESSABLE_CONTENT', httpStatus: 422, errors, request_id: 'none' };
      return route.fulfill({ status: 422, json: [{ error: { message: people, code: -32022, data } }] });
    });
  await reject('create', '/currency', 'Choose another currency.');
  await reject('createPromotionCode', '/discount', 'Choose another discount.');
  // With one currency there is no field for it.
  await page.route('**/*plans.listAll*', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace(/"currencies":\[[^\]]*\]/, '"currencies":["usd"]');
    await route.fulfill({ response, body: text });
  });
  const dialog = page.getByRole('dialog');
  await page.goto('/plans');
  await page.getByRole('button', { name: 'New plan' }).click();
  await dialog.getByLabel('Name').fill('Evening care');
  await dialog.getByLabel('Price in USD').fill('39');
  await dialog.getByRole('button', { name: 'Make plan' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Choose another currency.');

  await page.goto('/plans?view=codes');
  await page.getByRole('button', { name: 'New code' }).first().click();
  const discount = dialog.getByLabel('Discount', { exact: true });
  await discount.fill('20%');
  await dialog.getByRole('button', { name: 'Make code' }).click();
  await expect(discount).toHaveAccessibleDescription('Choose another discount.');
});
