import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import type { Figures } from '../job.ts';

const KILO = 1000;
const QUIET_MS = 15_000;
/** Long enough to begin and end what is fetched ahead on this machine. */
const IDLE_MS = 1500;

type Seen = { shift: number; paintedAt: number };
/** What a page would do once it has nothing else to do, and whether it may. */
type Held = { isIdle: boolean; work: (() => void)[] };
type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };

/** Runs in the page, before anything of its own; without named functions, which tools that bundle leave their mark on. */
function watch(): void {
  const seen: Seen = { shift: 0, paintedAt: 0 };
  const held: Held = { isIdle: false, work: [] };
  Object.assign(window, { seen, held });
  const { requestIdleCallback } = window;
  window.requestIdleCallback = (callback, options) =>
    held.isIdle ? requestIdleCallback(callback, options) : held.work.push(() => requestIdleCallback(callback, options));
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Shift[]) if (!entry.hadRecentInput) seen.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.paintedAt = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/** What else is looked at: what is noted from the page's first moment on, when all is there, and what is done with it then. */
export type Closer = { watch: () => void; isThere(page: Page): Promise<unknown>; use(page: Page): Promise<Figures> };

/**
 * Opens a page as somebody does who was never here, until it asks for nothing more, then lets it be idle. `JS kB`: its own
 * scripts until then, each compressed by gzip; `ahead kB`: those it fetches only because it is idle. `CLS`: all that moved,
 * which is never less than web-vitals' figure.
 */
export async function lookAt(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  closer?: Closer,
): Promise<Figures> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    if (closer) await page.addInitScript(closer.watch);
    const scripts: Promise<number>[] = [];
    const weigh = async () => (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0) / KILO;
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script' || !response.url().startsWith(new URL(url).origin)) return;
      scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    const answer = await page.goto(url, { waitUntil: 'load' });
    if (answer?.status() !== 200) throw new Error(`${url} answered ${answer?.status()}`);
    if (new URL(page.url()).pathname !== new URL(url).pathname) throw new Error(`${url} led to ${page.url()}`);
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS });
    await closer?.isThere(page);
    const needed = await weigh();
    const { shift, paintedAt } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
    if (paintedAt === 0) throw new Error(`${url} painted nothing`);
    await page.evaluate(() => {
      const { held } = window as unknown as { held: Held };
      held.isIdle = true;
      for (const start of held.work) start();
    });
    await page.waitForTimeout(IDLE_MS);
    const figures = { 'JS kB': needed, 'ahead kB': (await weigh()) - needed, CLS: shift, 'LCP ms': paintedAt };
    return closer ? { ...figures, ...(await closer.use(page)) } : figures;
  } finally {
    await context.close();
  }
}
