import { type Page, selectors } from '@playwright/test';

/** After this time a page counts as hydrated, in milliseconds: scripts may be blocked on purpose. */
const MAX_MS = 10_000;
const UNHYDRATED = 'unhydrated=page';

/** A selector engine: matches the body while React has not hydrated the document, and nothing afterwards. */
function unhydrated(maxMs: number) {
  const isHydrated = (element: Element | undefined) =>
    !element || Object.keys(element).some((key) => key.startsWith('__react'));
  function queryAll(): Element[] {
    const isNext = '__next_f' in window;
    if (!isNext || performance.now() > maxMs) return [];
    const controls = [...document.body.querySelectorAll('a[href], button')];
    return isHydrated(controls[0]) && isHydrated(controls.at(-1)) ? [] : [document.body];
  }
  return { queryAll, query: () => queryAll()[0] ?? null };
}

await selectors.register('unhydrated', `(${unhydrated})(${MAX_MS})`);

const registered = new WeakMap<Page, Promise<void>>();

/**
 * Makes actions and assertions on the page wait until React has hydrated it. A server-rendered button is visible before
 * that, and a click on it has no effect.
 */
export function awaitHydration(page: Page): Promise<void> {
  const done = page.addLocatorHandler(page.locator(UNHYDRATED), async () => {});
  registered.set(page, done);
  return done;
}

/** For a test of what a page does before its scripts run. */
export async function ignoreHydration(page: Page): Promise<void> {
  await registered.get(page);
  await page.removeLocatorHandler(page.locator(UNHYDRATED));
}
