import type { Page, Response } from '@playwright/test';
import { isCallPage } from '#server/http/page-policy.ts';

/** Sets the window's width and waits until the page is rendered with it, including changes by its scripts. */
export async function resizeTo(page: Page, width: number, height = 900): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate(async (wanted) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    while (window.innerWidth !== wanted) await frame();
    // Listeners set state in the first frame, which the next frame renders.
    for (let frames = 0; frames < 3; frames += 1) await frame();
  }, width);
}

/** Faults of the current layout: too wide, content under a badge, a date on three lines, a target that is too small. */
export function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) problems.push(`the page is ${scrollWidth - clientWidth} px too wide`);
    /** Caches results by element: nothing moves during the check, and a long page has ten thousand elements. */
    function memoize<Value>(compute: (element: Element) => Value): (element: Element) => Value {
      const cache = new Map<Element, Value>();
      return (element) => {
        if (!cache.has(element)) cache.set(element, compute(element));
        return cache.get(element) as Value;
      };
    }
    const isVisible = memoize((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    });
    /** Visible to screen readers only, at this width. */
    const isClipped: (element: Element) => boolean = memoize((element) => {
      const { width, height } = element.getBoundingClientRect();
      if (width <= 1 && height <= 1 && getComputedStyle(element).overflow === 'hidden') return true;
      return element.parentElement !== null && isClipped(element.parentElement);
    });
    const layerOf = memoize((element) =>
      element.closest('[role=dialog], [role=alertdialog], nav, header.sticky, .fixed.inset-0'),
    );
    const excerptOf = (element: Element) => `“${(element.textContent ?? '').trim().slice(0, 40)}”`;
    for (const box of document.querySelectorAll('main, [role=dialog], [role=region], section, table'))
      if (isVisible(box) && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === 'visible')
        problems.push(`${box.tagName} ${box.getAttribute('aria-label') ?? ''} overflows`);
    // Text that overflows its own cell or card, and text under a badge.
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const textBoxes: { rect: DOMRect; element: Element }[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement;
      if (!element || !node.textContent?.trim() || !isVisible(element)) continue;
      if (element.closest('.sr-only, [aria-hidden=true], script, style, nextjs-portal')) continue;
      if (isClipped(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) if (rect.width > 1) textBoxes.push({ rect, element });
    }
    const badges = [...document.querySelectorAll('[data-badge]')].filter(isVisible);
    for (const badge of badges) {
      const badgeBox = badge.getBoundingClientRect();
      // Content that a table scrolls away is out of sight, and does not cover what is next to the table.
      const shown = badge.closest('table')?.parentElement?.getBoundingClientRect();
      if (shown && badgeBox.right > shown.right + 1) {
        problems.push(`the badge ${excerptOf(badge)} is seen only by scrolling its table`);
        continue;
      }
      if (badgeBox.right > clientWidth + 1 || badgeBox.left < -1) problems.push(`the badge ${excerptOf(badge)} is cut`);
      for (const { rect, element } of textBoxes) {
        // Most texts are elsewhere, which is the cheapest check.
        if (rect.left >= badgeBox.right - 1 || rect.right <= badgeBox.left + 1) continue;
        if (rect.top >= badgeBox.bottom - 1 || rect.bottom <= badgeBox.top + 1) continue;
        if (badge.contains(element) || layerOf(element) !== layerOf(badge)) continue;
        // Text that is truncated with an ellipsis is not visible there.
        const clip = element.closest('[class*="truncate"]')?.getBoundingClientRect() ?? rect;
        if (Math.min(rect.right, clip.right) > badgeBox.left + 1)
          problems.push(`${excerptOf(element)} lies under the badge ${excerptOf(badge)}`);
      }
    }
    // Actions of a row are at its end, and must be visible without scrolling.
    for (const button of document.querySelectorAll('td button')) {
      const shown = button.closest('table')?.parentElement?.getBoundingClientRect();
      if (shown && isVisible(button) && button.getBoundingClientRect().right > shown.right + 1)
        problems.push(`${button.getAttribute('aria-label') ?? excerptOf(button)} is seen only by scrolling its table`);
    }
    const linesOf = (box: Element): number => {
      const range = document.createRange();
      range.selectNodeContents(box);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top);
      // The boxes of a line and of its text start a few pixels apart.
      return tops.toSorted((a, b) => a - b).filter((top, index, all) => index === 0 || top - all[index - 1]! > 8)
        .length;
    };
    for (const label of document.querySelectorAll('[data-row-label]'))
      if (isVisible(label) && linesOf(label) > 1) problems.push(`the label ${excerptOf(label)} of a row is broken`);
    for (const time of document.querySelectorAll('time')) {
      if (!isVisible(time)) continue;
      // The calendar's own time is next to it, and is read together with it.
      const box = time.closest('span.tabular-nums') ?? time;
      const lines = linesOf(box);
      if (lines > 2) problems.push(`the date ${excerptOf(box)} takes ${lines} lines`);
    }
    const TARGETS =
      'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=radio], [role=checkbox], [role=option]';
    for (const target of document.querySelectorAll(TARGETS)) {
      if (!isVisible(target) || target.closest('[inert], .sr-only') || isClipped(target)) continue;
      const { width, height } = target.getBoundingClientRect();
      // A link within a sentence is as high as its line (WCAG 2.2, 2.5.8); a link of a row is as large as the row.
      const isInline = target.tagName === 'A' && getComputedStyle(target).display === 'inline';
      const isStretched = getComputedStyle(target, '::after').position === 'absolute';
      if (!isInline && !isStretched && (width < 23.5 || height < 23.5))
        problems.push(
          `${target.getAttribute('aria-label') ?? excerptOf(target)} is ${Math.round(width)} × ${Math.round(height)} px`,
        );
    }
    return [...new Set(problems)];
  });
}

/** Faults of a response's headers. */
export function headerProblems(response: Response): string[] {
  const headers = response.headers();
  const { pathname } = new URL(response.url());
  // Static files are the same for every user.
  const isFile =
    pathname.startsWith('/_next/static/') || pathname === '/icon.svg' || pathname.startsWith('/api/logos/');
  const expected: [name: string, value: RegExp][] = [
    ['x-content-type-options', /^nosniff$/],
    ['x-frame-options', /^DENY$/],
    ['referrer-policy', isCallPage(pathname) ? /^no-referrer$/ : /^strict-origin-when-cross-origin$/],
    ['permissions-policy', isCallPage(pathname) ? /^camera=\(self\)/ : /^camera=\(\)/],
    ['content-security-policy', /frame-ancestors 'none'/],
    ['cache-control', isFile ? /\S/ : /no-store/],
  ];
  const mismatches = expected.filter(([name, value]) => !value.test(headers[name] ?? ''));
  return mismatches.map(([name]) => `${response.request().method()} ${pathname}: ${name}: ${headers[name]}`);
}
