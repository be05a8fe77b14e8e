'use client';
import { ThemeProvider as NextThemes } from 'next-themes';
import type { ReactNode } from 'react';

/** Light, dark or the system's choice, kept in local storage and written as `data-theme` on <html>. */
export function ThemeProvider({ nonce, children }: { nonce?: string | undefined; children: ReactNode }) {
  return (
    <NextThemes attribute="data-theme" defaultTheme="system" disableTransitionOnChange {...(nonce ? { nonce } : {})}>
      {children}
    </NextThemes>
  );
}
