const ROWS = '#content table tbody tr';
/** What opens the row comes first in it; a checkbox may stand before. */
const OPENS = 'a[href], button:not([disabled])';

/** Moves the focus to the next (1) or previous (-1) row of the page's lists; from anywhere else to the first row. */
export function moveToRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const target = row.getClientRects().length > 0 ? row.querySelector<HTMLElement>(OPENS) : null;
    return target ? [{ row, target }] : [];
  });
  const current = rows.findIndex(({ row }) => row.contains(document.activeElement));
  const next = current < 0 ? rows[0] : rows[current + step];
  // The whole row, not only its control, comes into view.
  next?.target.focus({ preventScroll: true });
  next?.row.scrollIntoView({ block: 'nearest' });
}
