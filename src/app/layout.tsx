import { GeistMono as mono } from 'geist/font/mono';
import { GeistSans as sans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { PageNonceProvider } from '#web/ui/page-nonce.tsx';
import { ThemeProvider } from '#web/ui/theme-provider.tsx';
import { Toaster } from '#web/ui/toaster.tsx';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Carelane', template: '%s · Carelane' },
  description: 'Patients, appointments and subscriptions of your clinic, in one place.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f7f9f9' },
    { media: '(prefers-color-scheme: dark)', color: '#0d1314' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    // next-themes sets the theme on <html> before hydration, so its attributes may differ from the server's.
    <html lang="en" className={`${sans.variable} ${mono.variable}`} suppressHydrationWarning>
      <body>
        <PageNonceProvider nonce={nonce}>
          <ThemeProvider>
            {children}
            <Toaster />
          </ThemeProvider>
        </PageNonceProvider>
      </body>
    </html>
  );
}
