'use client';
import { type RefObject, useLayoutEffect } from 'react';

const GAP_PX = 4;

/**
 * Shows a `popover="manual"` element in the browser's top layer, below its anchor and as wide, or above when there is
 * more room. It follows the anchor on scroll.
 */
export function useAnchoredPopover(
  anchor: RefObject<HTMLElement | null>,
  popover: RefObject<HTMLElement | null>,
  open: boolean,
) {
  useLayoutEffect(() => {
    const [box, list] = [anchor.current, popover.current];
    if (!open || !box || !list) return;
    list.showPopover();
    const place = () => {
      const { left, top, bottom, width } = box.getBoundingClientRect();
      const above = window.innerHeight - bottom < list.offsetHeight + GAP_PX && top > window.innerHeight - bottom;
      list.style.left = `${left}px`;
      list.style.width = `${width}px`;
      list.style.top = above ? 'auto' : `${bottom + GAP_PX}px`;
      list.style.bottom = above ? `${window.innerHeight - top + GAP_PX}px` : 'auto';
    };
    place();
    const sized = new ResizeObserver(place);
    sized.observe(list);
    window.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      sized.disconnect();
      window.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  }, [anchor, popover, open]);
}
