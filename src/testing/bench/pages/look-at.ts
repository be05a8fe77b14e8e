import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions } from '@playwright/test';
import type { Figures } from '../job.ts';

const KILO = 1000;
const QUIET_MS = 15_000;

type Seen = { shift: number; paintedAt: number };
type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };

/** Runs in the page, before anything of its own; without named functions, which tools that bundle leave their mark on. */
function watch(): void {
  const seen: Seen = { shift: 0, paintedAt: 0 };
  Object.assign(window, { seen });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Shift[]) if (!entry.hadRecentInput) seen.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.paintedAt = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/**
 * Opens a page as somebody does who was never here, until it asks for nothing more. `JS kB`: its own scripts, those it
 * fetches ahead among them, each compressed by gzip. `CLS`: all that moved, which is never less than web-vitals' figure.
 */
export async function lookAt(browser: Browser, url: string, options: BrowserContextOptions): Promise<Figures> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    const scripts: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script' || !response.url().startsWith(new URL(url).origin)) return;
      scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    const answer = await page.goto(url, { waitUntil: 'load' });
    if (answer?.status() !== 200) throw new Error(`${url} answered ${answer?.status()}`);
    if (new URL(page.url()).pathname !== new URL(url).pathname) throw new Error(`${url} led to ${page.url()}`);
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS });
    const sizes = await Promise.all(scripts);
    const { shift, paintedAt } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
    if (paintedAt === 0) throw new Error(`${url} painted nothing`);
    return { 'JS kB': sizes.reduce((sum, size) => sum + size, 0) / KILO, CLS: shift, 'LCP ms': paintedAt };
  } finally {
    await context.close();
  }
}
