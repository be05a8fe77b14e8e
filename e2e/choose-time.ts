import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** A day with times left for others too, whatever the hour is: of today only the last may be, and be too near in a moment. */
export const chooseDay = (booking: Locator | Page): Promise<void> =>
  booking
    .getByRole('tab', { name: /, \d\d free times/ })
    .last()
    .click();

/** Takes a free time of the day that is shown. @returns its instant as the API writes it */
export async function chooseTime(booking: Locator | Page, which: 'first' | 'last'): Promise<string> {
  const times = booking.getByRole('radiogroup', { name: /^Times on/ }).getByRole('radio');
  const time = which === 'first' ? times.first() : times.last();
  await time.click();
  await expect(time).toBeChecked();
  return (await time.getAttribute('value')) ?? '';
}
