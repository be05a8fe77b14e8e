import { randomUUID } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';
import { inServedDatabase } from './served-database.ts';

const LOADED = 1000;
const PAGE = 200;
const FEW = 50;
/** Inserts audit entries of the seeded tenant, of an actor of their own, so that no others are among them. */
const insertEntries = (count: number, actorId: string) =>
  inServedDatabase(
    `insert into audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id)
     select gen_random_uuid(), t.id, 'tokens.issue', 'Application', n::text, 'System', '${actorId}', 'test'
     from (select id from tenants order by created_at limit 1) t, generate_series(1, ${count}) n`,
  );

/** Time in ms from a change of the page until the next frame. */
const timed = (page: Page, change: string) =>
  page.evaluate(async (code) => {
    const start = performance.now();
    new Function(code)();
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - start;
  }, change);

/** Rows are measured as they come near the window; a user does not press a button that moves. */
async function waitUntilStill(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  const box = async () => JSON.stringify(await button.boundingBox());
  await expect
    .poll(async () => {
      const before = await box();
      await button.page().waitForTimeout(250);
      return before === (await box());
    })
    .toBe(true);
}

test('a long list renders rows near the window only, and stays a table', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  test.setTimeout(300_000);
  const actorId = randomUUID();
  await insertEntries(FEW, actorId);
  await signIn('admin');
  await page.goto(`/settings/audit?what=tokens&who=${actorId}`);
  const table = page.getByRole('table', { name: 'Audit log' });
  const rows = table.locator('tbody tr:not([aria-hidden])');
  await expect(rows).toHaveCount(FEW);
  await expect(table).not.toHaveAttribute('aria-rowcount');
  await insertEntries(LOADED + 2 * PAGE, actorId);
  await page.reload();
  const more = page.getByRole('button', { name: 'Load more' });
  for (let loaded = 2 * PAGE; loaded <= LOADED; loaded += PAGE) {
    await waitUntilStill(more);
    await more.click();
    await expect(page.getByText(`First ${loaded.toLocaleString('en-US')} of`)).toBeVisible();
  }
  await expect.poll(() => rows.count()).toBeLessThan(120);
  expect(Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(LOADED);
  await expectAccessible(page);

  // From end to end no row is missing and none jumps: rows are contiguous by index.
  const indexes = () => rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))));
  const widths = () =>
    table.locator('th').evaluateAll((all) => all.map((head) => Math.round(head.getBoundingClientRect().width)));
  const before = await widths();
  for (const fraction of [0, 0.3, 0.6, 1]) {
    await page.evaluate((to) => window.scrollTo(0, to * document.body.scrollHeight), fraction);
    await expect
      .poll(() =>
        page.evaluate(() => {
          const all = [...document.querySelectorAll('tbody tr:not([aria-hidden])')];
          return all.some((row) => {
            const { top, bottom } = row.getBoundingClientRect();
            return top < window.innerHeight / 2 && bottom > window.innerHeight / 2 - 300;
          });
        }),
      )
      .toBe(true);
    const shown = await indexes();
    expect(shown).toEqual(shown.map((_, index) => shown[0]! + index));
    expect(await widths()).toEqual(before);
  }
  expect((await indexes()).at(-1)).toBe(LOADED + 1);

  // Tab moves past the rendered rows, and the row with the focus stays when it is scrolled away.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(table.locator('tr[aria-rowindex="2"]')).toBeVisible();
  await table.locator('tr[aria-rowindex="2"]').getByRole('button').focus();
  for (let press = 0; press < 60; press += 1) await page.keyboard.press('Tab');
  const focused = () => page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'));
  await expect.poll(focused).toBe('62');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(table.locator('tr[aria-rowindex="1001"]')).toBeVisible();
  expect(await focused()).toBe('62');
  await page.keyboard.press('Tab');
  await expect.poll(focused).toBe('63');

  // Printing and the browser's own search render all rows.
  const open = `document.querySelector('tbody button').click()`;
  const sheet = page.getByRole('dialog');
  const measureOpening = async () => {
    const ms = await timed(page, open);
    await expect(sheet).toBeVisible();
    await press(page, 'Escape', hidden(sheet));
    await expect(sheet).toHaveCount(0);
    return ms.toFixed(0);
  };
  await measureOpening();
  const windowedMs = await measureOpening();
  const allRowsRenderMs = (await timed(page, `window.dispatchEvent(new Event('beforeprint'))`)).toFixed(0);
  await expect(rows).toHaveCount(LOADED);
  const allRowsMs = await measureOpening();
  console.info(
    `long list of ${LOADED}: all rows render in ${allRowsRenderMs} ms; opening one takes ${allRowsMs} ms, and ${windowedMs} ms with only the visible rows rendered`,
  );
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await expect.poll(() => rows.count()).toBeLessThan(120);
  await page.keyboard.press('Control+f');
  await expect(rows).toHaveCount(LOADED);
});
