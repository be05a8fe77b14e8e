'use client';
import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react';

const PageNonce = createContext<string | undefined>(undefined);

/** The CSP nonce for components that insert a style sheet, which the page's policy blocks otherwise. */
export const usePageNonce = (): string | undefined => use(PageNonce);

/** The CSP of the first document stays in force, so its nonce is used even when later responses carry another one. */
export function PageNonceProvider({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [first] = useState(nonce);
  useLayoutEffect(() => {
    // The style sheets of dialogs and menus that lock page scrolling read the nonce here.
    Object.assign(window, { __webpack_nonce__: first });
  }, [first]);
  return <PageNonce value={first}>{children}</PageNonce>;
}
