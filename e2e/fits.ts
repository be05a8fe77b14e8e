import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect } from './fixtures.ts';
import { layoutProblems, resizeTo } from './page-problems.ts';

/** `PROVE=1` checks all widths. */
const WIDTHS = process.env.PROVE ? [320, 360, 390, 480, 640, 768, 900, 1024, 1280, 1440] : [320, 768, 1440];
const WIDE = 1280;
const NARROW = 390;
/** One combination; with `PROVE=1` each theme on each kind of screen. */
const SCREENS: [width: number, colorScheme: 'light' | 'dark'][] = process.env.PROVE
  ? [
      [WIDE, 'light'],
      [WIDE, 'dark'],
      [NARROW, 'light'],
      [NARROW, 'dark'],
    ]
  : [[WIDE, 'light']];

/**
 * Asserts that the page is accessible and fits the widths; the long form checks both themes on wide and narrow screens.
 */
export async function expectAccessibleAndFits(page: Page, check: () => Promise<void> = async () => {}): Promise<void> {
  for (const [width, colorScheme] of SCREENS) {
    await resizeTo(page, width, 800);
    await page.emulateMedia({ colorScheme });
    await check();
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectAccessible(page);
  }
  await expectFits(page);
  await resizeTo(page, WIDE, 800);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Asserts that nothing is wider than its window, lies under a badge or is too small to press, at any width. */
export async function expectFits(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
  const failures: string[] = [];
  for (const width of WIDTHS) {
    await resizeTo(page, width);
    let problems = await layoutProblems(page);
    // Parts that only this width needs may still be loading.
    for (let attempt = 1; problems.length > 0 && attempt < 4; attempt += 1) {
      await page.waitForTimeout(150);
      problems = await layoutProblems(page);
    }
    failures.push(...problems.map((problem) => `${width}: ${problem}`));
  }
  expect.soft(failures, page.url()).toEqual([]);
}
