import { expect, type Page } from '@playwright/test';

/** Types a card into the provider's fields on the current page, and confirms. */
export async function payWith(visitor: Page, number: string, button: RegExp): Promise<void> {
  await visitor.getByLabel('Card number').fill(number);
  await visitor.getByLabel('Expiration date').fill('1268');
  await visitor.getByLabel('Security code').fill('123');
  await visitor.getByRole('button', { name: button }).click();
}

/** Completes the bank's authentication as the card's holder. */
export async function authenticate(visitor: Page): Promise<void> {
  const bank = visitor.getByRole('dialog', { name: '3-D Secure authentication' });
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(bank).toHaveCount(0);
}
