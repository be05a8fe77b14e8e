import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ReaderDataProvider } from '#web/docs/samples/reader-data.tsx';

/** The only pages for search engines; all others are private. */
export const metadata: Metadata = { robots: { index: true, follow: true } };

export default function Layout({ children }: { children: ReactNode }) {
  return <ReaderDataProvider>{children}</ReaderDataProvider>;
}
