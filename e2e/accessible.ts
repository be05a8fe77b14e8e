import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; help: string; nodes: { target: unknown; failureSummary: string }[] };

/**
 * Asserts that axe finds no violation. Its script is injected through the debugger, so the page's CSP stays as it is.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await waitForAnimations(page);
  // After a full page load, the title is set a moment after the head.
  await expect(page).toHaveTitle(/\S/);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    // Skips the details of rules that pass; of the resources, rules need only media.
    return (await axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } })).violations;
  });
  const messages = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}; ${String(target)}; ${failureSummary}`),
  );
  expect(messages, page.url()).toEqual([]);
}

/**
 * Waits until transitions and animations have ended, because colors are final only then. Each element is waited for once:
 * a level meter starts a new transition for as long as a microphone is open. Polls, because `finished` of a transition
 * that a change of theme or width drops does not always settle.
 */
async function waitForAnimations(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    const waitedFor = new Set<Element | null>();
    const running = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) =>
            playState === 'running' &&
            effect instanceof KeyframeEffect &&
            effect.getComputedTiming().iterations !== Infinity,
        );
    const targetOf = ({ effect }: Animation) => (effect as KeyframeEffect).target;
    for (;;) {
      const pending = running().filter((animation) => !waitedFor.has(targetOf(animation)));
      if (pending.length === 0) return true;
      for (const animation of pending) waitedFor.add(targetOf(animation));
      const isRunning = () => running().some((animation) => pending.includes(animation));
      while (isRunning()) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
}
