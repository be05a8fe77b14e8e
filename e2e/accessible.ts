import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; help: string; nodes: { target: unknown; failureSummary: string }[] };

/** axe finds nothing on the page as it stands. Its script comes through the debugger, so the page's policy stays as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  // What still fades in has not its own colours yet.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().iterations === Infinity),
  );
  // Where a page is read anew, its title is put there a moment after its head.
  await expect(page).toHaveTitle(/\S/);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    // What passed is not told element by element, and of what a page loads only media concern a rule.
    return (await axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } })).violations;
  });
  const words = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}; ${String(target)}; ${failureSummary}`),
  );
  expect(words, page.url()).toEqual([]);
}
