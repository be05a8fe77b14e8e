'use client';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';

/** Takes the page's place, in the dark: what lies beneath can be neither seen nor reached until it goes. */
export function WholePage({ children }: { children: ReactNode }) {
  const [place] = useState(() => document.createElement('div'));
  // Before the effects of what is in it, which want to have the focus.
  useLayoutEffect(() => {
    // Where messages appear stays: it shows above all, and is read out.
    const beneath = [...document.body.children].filter(
      (one) => one instanceof HTMLElement && !one.inert && !one.matches('[aria-live]'),
    );
    for (const one of beneath) (one as HTMLElement).inert = true;
    document.body.append(place);
    // Menus and questions are put beside it.
    document.body.dataset.theme = 'dark';
    return () => {
      delete document.body.dataset.theme;
      place.remove();
      for (const one of beneath) (one as HTMLElement).inert = false;
    };
  }, [place]);
  return createPortal(children, place);
}
