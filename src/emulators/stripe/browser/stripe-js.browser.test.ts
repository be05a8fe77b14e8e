import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build } from 'esbuild';
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Bench, CARDS, EVENT_TIMEOUT, openBench, PUBLISHABLE_KEY, secretOf } from '../test-bench.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('Stripe.js emulator', () => {
  let browser: Browser;
  let site: Server;
  let emulatorUrl = '';

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./checkout-for-test.tsx', import.meta.url))],
      bundle: true,
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      write: false,
    });
    site = createServer((request, response) => {
      if (request.url === '/app.js')
        return response.setHeader('content-type', 'text/javascript').end(outputFiles[0]!.text);
      // A strict policy: no inline code, no other hosts.
      const policy = `default-src 'none'; script-src 'self' ${emulatorUrl}; connect-src ${emulatorUrl}`;
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      const scripts = `<script src="${emulatorUrl}/endive/stripe.js"></script><script src="/app.js" defer></script>`;
      return response.end(
        `<!doctype html><html lang="en"><title>Checkout</title><h1>Checkout</h1><main></main>${scripts}</html>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  async function open(bench: Bench, subscription: Stripe.Subscription, redirect = 'if_required'): Promise<Page> {
    emulatorUrl = bench.emulator.url;
    const context = await browser.newContext({ bypassCSP: false });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('402')) throw new Error(message.text());
    });
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await page.goto(`${origin}/#${[PUBLISHABLE_KEY, bench.account, secretOf(subscription), redirect].join(',')}`);
    return page;
  }

  async function type(page: Page, number: string): Promise<void> {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiration date').fill('1268');
    await page.getByLabel('Security code').fill('123');
    await page.getByRole('button', { name: 'Pay' }).click();
  }

  const outcome = (page: Page) => page.locator('output').textContent();

  test('validates and formats the card, shows a decline and then pays', async () => {
    const bench = await openBench();
    const started = await bench.subscribe();
    const page = await open(bench, started);
    await page.getByRole('button', { name: 'Pay' }).click();
    await expect.poll(() => outcome(page), EVENT_TIMEOUT).toBe('submit: Your card number is incomplete.');
    await type(page, CARDS.declined);
    expect(await page.getByLabel('Card number').inputValue()).toBe('4000 0000 0000 0002');
    await expect.poll(() => outcome(page), EVENT_TIMEOUT).toBe('error: Your card was declined.');
    expect(await page.getByRole('alert').textContent()).toBe('Your card was declined.');
    await type(page, CARDS.good);
    await expect.poll(() => outcome(page), EVENT_TIMEOUT).toBe('status: succeeded');
    expect((await bench.get(started.id)).status).toBe('active');
  }, 60_000);

  test.each([
    ['Complete authentication', 'status: succeeded', 'active'],
    ['Fail authentication', 'error: We are unable to authenticate your payment method.', 'incomplete'],
    ['Escape', 'error: We are unable to authenticate your payment method.', 'incomplete'],
  ])(
    'shows the 3-D Secure challenge in a dialog: %s',
    async (button, message, status) => {
      const bench = await openBench();
      const started = await bench.subscribe();
      const page = await open(bench, started);
      await type(page, CARDS.authenticates);
      const dialog = page.getByRole('dialog', { name: '3-D Secure authentication' });
      expect(await dialog.textContent()).toContain('$49.00');
      if (button === 'Escape') await page.keyboard.press('Escape');
      else await dialog.getByRole('button', { name: button }).click();
      await expect.poll(() => outcome(page), EVENT_TIMEOUT).toContain(message);
      expect((await bench.get(started.id)).status).toBe(status);
    },
    60_000,
  );

  test('saves a card for a trial and returns to return_url', async () => {
    const bench = await openBench();
    const started = await bench.subscribe({ trial_period_days: 7 });
    const page = await open(bench, started, 'always');
    await type(page, CARDS.good);
    await page.waitForURL('**/done?**');
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()]).toEqual(['setup_intent', 'setup_intent_client_secret', 'redirect_status']);
    expect((await bench.get(started.id)).default_payment_method).toMatch(/^pm_/);
  }, 60_000);

  test('has no axe violations in the form and the dialog', async () => {
    const bench = await openBench();
    const page = await open(bench, await bench.subscribe());
    const faults = async () => {
      await page.evaluate(AXE);
      const results = await page.evaluate(() =>
        (window as never as { axe: { run(): Promise<{ violations: object[] }> } }).axe.run(),
      );
      return results.violations.map((violation) => (violation as { id: string }).id);
    };
    await page.getByLabel('Card number').waitFor();
    // Rules that concern the page around the form, which is not under test.
    const ignoredRules = ['region', 'landmark-one-main', 'color-contrast-enhanced'];
    expect((await faults()).filter((id) => !ignoredRules.includes(id))).toEqual([]);
    await type(page, CARDS.authenticates);
    await page.getByRole('dialog').waitFor();
    expect((await faults()).filter((id) => !ignoredRules.includes(id))).toEqual([]);
  }, 60_000);
});
