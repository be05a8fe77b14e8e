import { expectAccessibleAndFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { CARDS, clinicStripe, payWith } from './stripe.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('staff allow promotion codes, and the patient sees the new price before paying it', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
  watch,
}) => {
  test.slow();
  // Responses to wrong codes and declined cards.
  watch.allow(/402|422/);
  const code = await clinicStripe().promotionCode(25);
  const patient = await api.createPatient();
  await api.subscribe(patient.id, 'paid');
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Payment link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Payment link' });
  await dialog.getByLabel('Ask for a promotion code').click();
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible();
  await visitor.goto(await page.evaluate(() => navigator.clipboard.readText()));

  const field = visitor.getByLabel('Promotion code');
  await field.waitFor();
  await expectAccessibleAndFits(visitor);
  await visitor.getByRole('button', { name: 'Apply' }).click();
  await expect(visitor.getByText('Type the code first.')).toBeVisible();
  await field.fill('NO-SUCH-CODE');
  await field.press('Enter');
  await expect(visitor.getByText(/This code is unknown, used up or over/)).toBeVisible();
  await expect(visitor.getByRole('button', { name: 'Pay $49.00' })).toBeVisible();
  await field.fill(code.toLowerCase());
  await field.press('Enter');
  await expect(visitor.getByText(`${code}: 25% off`)).toBeVisible();
  await expect(visitor.getByRole('button', { name: 'Pay $36.75' })).toBeVisible();
  await expectAccessibleAndFits(visitor);

  await visitor.reload();
  await payWith(visitor, CARDS.declined, /^Pay \$36\.75$/);
  await expect(visitor.getByRole('alert').filter({ hasText: 'declined' }).first()).toBeVisible();
  await payWith(visitor, CARDS.good, /^Pay \$36\.75$/);
  await expect(visitor.getByRole('heading', { level: 1, name: 'You are all set' })).toBeVisible();
  await page.goto(`/patients/${patient.id}`);
  await expect(page.getByText('Replaced when the code was used')).toHaveCount(2);
  // Stripe's event arrives within seconds.
  const paid = () => api.call<{ amount_paid: number }[]>(`/payments?patient_id=${patient.id}&status=paid`);
  await expect.poll(async () => (await paid())[0]?.amount_paid, { timeout: 20_000 }).toBe(3675);
});
