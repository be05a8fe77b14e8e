import { expect, type Locator, type Page } from '@playwright/test';

/** Resolves to true once a key or a click has had its effect. */
type Effect = () => Promise<boolean>;

export const visible =
  (locator: Locator): Effect =>
  () =>
    locator.first().isVisible();

/** Also waits for the exit animation: an element that fades out is still visible. */
export const hidden =
  (locator: Locator): Effect =>
  async () =>
    !(await visible(locator)());

export const focused = (locator: Locator): Effect => visible(locator.and(locator.page().locator(':focus')));

/** How long one attempt may take, in milliseconds. A busy machine must not make a key that toggles act twice. */
const ATTEMPT_MS = 3_000;

/**
 * Presses a key until it has had its effect. Playwright sends a key only once, and an element that has just appeared
 * does not listen yet: Radix adds its listeners in effects and, for clicks outside, in `setTimeout(0)`.
 */
export const press = (page: Page, key: string, effect: Effect): Promise<void> =>
  repeat(() => page.keyboard.press(key), effect);

/** Clicks the page's corner, outside of any dialog, until the click has had its effect. */
export const clickOutside = (page: Page, effect: Effect): Promise<void> => repeat(() => page.mouse.click(5, 5), effect);

/** Repeats an action until it has had its effect. */
export async function repeat(action: () => Promise<void>, effect: Effect): Promise<void> {
  await expect(async () => {
    if (await effect()) return;
    await action();
    await expect.poll(effect, { timeout: ATTEMPT_MS, intervals: [50] }).toBe(true);
  }).toPass({ timeout: 30_000, intervals: [0] });
}
