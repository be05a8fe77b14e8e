import type { Page } from '@playwright/test';
import { type Api, newMark } from './api.ts';
import { expect, test } from './fixtures.ts';
import { PORTAL_PAGES } from './portal-pages.ts';

const WIDTHS = [320, 360, 390, 480, 640, 768, 900, 1024, 1280, 1440];
/** Eighty characters without a place to break. */
const LONG = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswesen';

async function longPatient(api: Api): Promise<{ id: string; last_name: string }> {
  const mark = newMark();
  const last_name = `${LONG.slice(0, 71)}-${mark}`;
  const patient = await api.call<{ id: string }>('/patients', {
    first_name: LONG,
    last_name,
    email: `${LONG.slice(0, 60)}-${mark}@patients.example.test`.toLowerCase(),
    phone_number: '+12025550123',
    external_id: `${LONG.slice(0, 71)}-${mark}`,
    tag_list: [LONG, 'vip'],
    addresses_attributes: [{ line1: LONG, line2: LONG, city: LONG, state: LONG, zip: '62701', primary: true }],
  });
  await api.subscribe(patient.id, 'paid');
  await api.subscribe(patient.id, 'trial');
  await api.book(patient.id);
  return { id: patient.id, last_name };
}

/** What is wrong with the page as it stands: too wide, something under a badge, a date broken twice, a target too small. */
function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth - clientWidth} px too wide`);
    const isSeen = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    };
    /** For screen readers only, at this width. */
    const isClipped = (element: Element): boolean => {
      const { width, height } = element.getBoundingClientRect();
      if (width <= 1 && height <= 1 && getComputedStyle(element).overflow === 'hidden') return true;
      return element.parentElement !== null && isClipped(element.parentElement);
    };
    const named = (element: Element) => `“${(element.textContent ?? '').trim().slice(0, 40)}”`;
    for (const box of document.querySelectorAll('main, [role=dialog], [role=region], section, table'))
      if (isSeen(box) && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === 'visible')
        faults.push(`${box.tagName} ${box.getAttribute('aria-label') ?? ''} holds more than it shows`);
    // Text that runs out of its own cell or card, and what lies under a badge.
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texted: { rect: DOMRect; element: Element }[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement;
      if (!element || !node.textContent?.trim() || !isSeen(element)) continue;
      if (element.closest('.sr-only, [aria-hidden=true], script, style, nextjs-portal')) continue;
      if (isClipped(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) if (rect.width > 1) texted.push({ rect, element });
    }
    const badges = [...document.querySelectorAll('[data-badge]')].filter(isSeen);
    for (const badge of badges) {
      const over = badge.getBoundingClientRect();
      // What a table scrolls away is out of sight, not over what stands beside the table.
      const shown = badge.closest('table')?.parentElement?.getBoundingClientRect();
      if (shown && over.right > shown.right + 1) {
        faults.push(`the badge ${named(badge)} is seen only by scrolling its table`);
        continue;
      }
      if (over.right > clientWidth + 1 || over.left < -1) faults.push(`the badge ${named(badge)} is cut`);
      for (const { rect, element } of texted) {
        if (
          badge.contains(element) ||
          element.closest('[role=dialog], nav, header.sticky') !== badge.closest('[role=dialog], nav, header.sticky')
        )
          continue;
        // What is cut off by its box with an ellipsis is not seen there.
        const clip = element.closest('.truncate')?.getBoundingClientRect() ?? rect;
        const right = Math.min(rect.right, clip.right);
        const isUnder =
          rect.left < over.right - 1 &&
          right > over.left + 1 &&
          rect.top < over.bottom - 1 &&
          rect.bottom > over.top + 1;
        if (isUnder) faults.push(`${named(element)} lies under the badge ${named(badge)}`);
      }
    }
    for (const time of document.querySelectorAll('time')) {
      if (!isSeen(time)) continue;
      const range = document.createRange();
      range.selectNodeContents(time);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top);
      // A line's box and the text in it begin a few pixels apart.
      const lines = tops.toSorted((a, b) => a - b).filter((top, at, all) => at === 0 || top - all[at - 1]! > 8);
      if (lines.length > 2) faults.push(`the date ${named(time)} stands in ${lines.length} lines`);
    }
    const PRESSED =
      'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=radio], [role=checkbox], [role=option]';
    for (const target of document.querySelectorAll(PRESSED)) {
      if (!isSeen(target) || target.closest('[inert], .sr-only') || isClipped(target)) continue;
      const { width, height } = target.getBoundingClientRect();
      // A link within a sentence is as high as its line (WCAG 2.2, 2.5.8); one of a row is as large as the row.
      const isInline = target.tagName === 'A' && getComputedStyle(target).display === 'inline';
      const isStretched = getComputedStyle(target, '::after').position === 'absolute';
      if (!isInline && !isStretched && (width < 23.5 || height < 23.5))
        faults.push(
          `${target.getAttribute('aria-label') ?? named(target)} is ${Math.round(width)} × ${Math.round(height)} px`,
        );
    }
    return [...new Set(faults)];
  });
}

/** At every width from the narrowest that is promised. */
async function expectFits(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    faults.push(...(await faultsOf(page)).map((fault) => `${width}: ${fault}`));
  }
  expect.soft(faults, page.url()).toEqual([]);
}

test.describe('no page is wider than its window, with names and addresses of eighty characters', () => {
  test.describe.configure({ timeout: 180_000 });
  let patient: { id: string; last_name: string };
  test.beforeEach(async ({ api, signIn }) => {
    patient ??= await longPatient(api);
    await signIn('admin');
  });

  for (const path of PORTAL_PAGES)
    test(path, async ({ page }) => {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await expectFits(page);
    });

  test('one patient', async ({ page }) => {
    await page.goto(`/patients/${patient.id}`);
    await page.getByRole('heading', { level: 1, name: patient.last_name }).waitFor();
    await page.waitForLoadState('networkidle');
    await expectFits(page);
  });

  test('dialogs about that patient', async ({ page }) => {
    await page.goto(`/patients/${patient.id}`);
    for (const name of ['Book visit', 'New subscription']) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
      await page.waitForLoadState('networkidle');
      await expectFits(page);
      await page.keyboard.press('Escape');
    }
  });

  test('the palette', async ({ page }) => {
    await page.goto('/plans');
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill(patient.last_name);
    await page.getByRole('group', { name: 'Visits' }).waitFor();
    await expectFits(page);
  });

  for (const path of [
    '/sign-in',
    '/forgot-password',
    '/join',
    '/reset-password',
    '/checkout',
    '/invitation',
    '/undo',
    '/new-devices',
    '/visit/none',
    '/docs',
    '/playground',
  ])
    test(`${path} of a visitor`, async ({ visitor, watch }) => {
      if (path === '/visit/none') watch.allow(/404/);
      await visitor.goto(path);
      await visitor.getByRole('heading', { level: 1 }).first().waitFor();
      await visitor.waitForLoadState('networkidle');
      await expectFits(visitor);
    });
});
