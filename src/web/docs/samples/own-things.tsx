'use client';
import { createContext, type ReactNode, use, useState } from 'react';
import type { OwnValues } from './own-values.ts';

/** What a reader was given at a press: the token, and things that it reaches. */
export type GivenThings = { token: string; values: OwnValues };
type Held = { given: GivenThings | null; keep: (given: GivenThings) => void };
const Things = createContext<Held>({ given: null, keep: () => {} });

export const useGivenThings = (): Held => use(Things);

/** Keeps what was given from page to page of the docs, until the tab is closed or loaded anew. */
export function OwnThings({ children }: { children: ReactNode }) {
  const [given, keep] = useState<GivenThings | null>(null);
  return <Things value={{ given, keep }}>{children}</Things>;
}
