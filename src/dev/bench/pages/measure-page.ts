import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import type { Figures } from '../job.ts';

const KILO = 1000;
const QUIET_MS = 15_000;
/** Long enough for prefetches to start and finish. */
const IDLE_MS = 1500;

type Seen = { shift: number; paintedAt: number };
/** Idle callbacks that are held back until `isIdle`. */
type Held = { isIdle: boolean; work: (() => void)[] };
type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };

/** Runs in the page before its own scripts; without named functions, which bundlers instrument. */
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

/**
 * An additional measurement: `watch` runs in the page from the start, `isThere` waits until the page is complete, `use`
 * measures an interaction.
 */
export type InteractionProbe = {
  watch: () => void;
  isThere(page: Page): Promise<unknown>;
  use(page: Page): Promise<Figures>;
};

/**
 * Opens a page with an empty cache until the network is idle, then releases idle callbacks. `JS kB`: its own scripts
 * until then, gzipped one by one; `ahead kB`: scripts that it prefetches when idle. `requests`: all until then. `CLS`: the sum of all layout
 * shifts, which is never less than web-vitals' figure.
 */
export async function measurePage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  probe?: InteractionProbe,
): Promise<Figures> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    if (probe) await page.addInitScript(probe.watch);
    const scripts: Promise<number>[] = [];
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    const weigh = async () => (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0) / KILO;
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script' || !response.url().startsWith(new URL(url).origin)) return;
      scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    const navigation = await page.goto(url, { waitUntil: 'load' });
    if (navigation?.status() !== 200) throw new Error(`${url} answered ${navigation?.status()}`);
    if (new URL(page.url()).pathname !== new URL(url).pathname) throw new Error(`${url} led to ${page.url()}`);
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS });
    await probe?.isThere(page);
    const needed = await weigh();
    const needs = requests;
    const { shift, paintedAt } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
    if (paintedAt === 0) throw new Error(`${url} painted nothing`);
    await page.evaluate(() => {
      const { held } = window as unknown as { held: Held };
      held.isIdle = true;
      for (const start of held.work) start();
    });
    await page.waitForTimeout(IDLE_MS);
    const ahead = (await weigh()) - needed;
    const figures = { 'JS kB': needed, 'ahead kB': ahead, requests: needs, CLS: shift, 'LCP ms': paintedAt };
    return probe ? { ...figures, ...(await probe.use(page)) } : figures;
  } finally {
    await context.close();
  }
}
