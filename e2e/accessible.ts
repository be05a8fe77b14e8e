import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; help: string; nodes: { target: unknown; failureSummary: string }[] };

/** axe finds nothing on the page as it stands. Its script comes through the debugger, so the page's policy stays as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  await animationsDone(page);
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

/**
 * Waits until transitions and animations have ended, because colors are final only then. Each element is waited for once:
 * a level meter starts a new transition for as long as a microphone is open.
 */
async function animationsDone(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    const waitedFor = new Set<Element | null>();
    const running = () =>
      document.getAnimations().filter(({ playState, effect }) => {
        if (playState !== 'running' || !(effect instanceof KeyframeEffect)) return false;
        return effect.getComputedTiming().iterations !== Infinity && !waitedFor.has(effect.target);
      });
    for (let found = running(); found.length > 0; found = running()) {
      for (const { effect } of found) waitedFor.add((effect as KeyframeEffect).target);
      await Promise.allSettled(found.map(({ finished }) => finished));
    }
    return true;
  });
}
