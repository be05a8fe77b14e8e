'use client';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';

/** Covers the page in the dark theme: the content below is inert until it unmounts. */
export function WholePage({ children }: { children: ReactNode }) {
  const [place] = useState(() => document.createElement('div'));
  // A layout effect, because the children's effects set the focus.
  useLayoutEffect(() => {
    // Live regions stay active: toasts are shown on top and announced.
    const beneath = [...document.body.children].filter(
      (one) => one instanceof HTMLElement && !one.inert && !one.matches('[aria-live]'),
    );
    for (const one of beneath) (one as HTMLElement).inert = true;
    document.body.append(place);
    // Menus and dialogs are rendered next to it, in the body.
    document.body.dataset.theme = 'dark';
    return () => {
      delete document.body.dataset.theme;
      place.remove();
      for (const one of beneath) (one as HTMLElement).inert = false;
    };
  }, [place]);
  return createPortal(children, place);
}
