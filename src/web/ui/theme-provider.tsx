'use client';
import { ThemeProvider as NextThemes } from 'next-themes';
import type { ReactNode } from 'react';
import { usePageNonce } from './page-nonce.tsx';

/** Light, dark or the system's choice, stored in local storage and written as `data-theme` on <html>. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const nonce = usePageNonce();
  return (
    <NextThemes attribute="data-theme" defaultTheme="system" disableTransitionOnChange {...(nonce ? { nonce } : {})}>
      {children}
    </NextThemes>
  );
}
