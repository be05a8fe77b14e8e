'use client';
import { createContext, type ReactNode, use, useState } from 'react';
import type { ReaderIds } from './reader-ids.ts';

/** The token and the ids that the reader has requested. */
export type ReaderData = { token: string; values: ReaderIds };
type ReaderDataState = { data: ReaderData | null; setData: (data: ReaderData) => void };
const ReaderDataContext = createContext<ReaderDataState>({ data: null, setData: () => {} });

export const useReaderData = (): ReaderDataState => use(ReaderDataContext);

/** Holds the token and ids across docs pages, until the tab is closed or reloaded. */
export function ReaderDataProvider({ children }: { children: ReactNode }) {
  const [data, setData] = useState<ReaderData | null>(null);
  return <ReaderDataContext value={{ data, setData }}>{children}</ReaderDataContext>;
}
