import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Chooses a day with slots left for other tests, at any hour: today may have only one, which is soon too close. */
export const chooseDay = (dialog: Locator | Page): Promise<void> =>
  dialog
    .getByRole('tab', { name: /, \d\d free times/ })
    .last()
    .click();

/**
 * Chooses a slot of the displayed day.
 * @returns its instant as the API formats it
 */
export async function chooseSlot(dialog: Locator | Page, which: 'first' | 'last'): Promise<string> {
  const times = dialog.getByRole('radiogroup', { name: /^Times on/ }).getByRole('radio');
  const time = which === 'first' ? times.first() : times.last();
  await time.click();
  await expect(time).toBeChecked();
  return (await time.getAttribute('value')) ?? '';
}
