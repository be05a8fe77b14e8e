'use client';
import { createContext, type ReactNode, use, useState } from 'react';
import type { ReaderIds } from './reader-ids.ts';

/** The token and the ids that the reader has requested. */
export type ReaderData = { token: string; values: ReaderIds };
type Held = { given: ReaderData | null; keep: (given: ReaderData) => void };
const Things = createContext<Held>({ given: null, keep: () => {} });

export const useReaderData = (): Held => use(Things);

/** Holds the token and ids across docs pages, until the tab is closed or reloaded. */
export function ReaderDataProvider({ children }: { children: ReactNode }) {
  const [given, keep] = useState<ReaderData | null>(null);
  return <Things value={{ given, keep }}>{children}</Things>;
}
