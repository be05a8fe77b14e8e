'use client';
import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react';

const PageNonce = createContext<string | undefined>(undefined);

/** What a component needs that writes a style sheet into the page, which the page's policy refuses otherwise. */
export const usePageNonce = (): string | undefined => use(PageNonce);

/** A page keeps the policy that it was loaded with, so it keeps that nonce too, whatever later answers bring. */
export function PageNonceProvider({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [first] = useState(nonce);
  useLayoutEffect(() => {
    // Where the style sheets of dialogs and menus, which keep the page behind them still, look for it.
    Object.assign(window, { __webpack_nonce__: first });
  }, [first]);
  return <PageNonce value={first}>{children}</PageNonce>;
}
