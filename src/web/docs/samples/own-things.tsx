'use client';
import { createContext, type ReactNode, use, useState } from 'react';
import type { OwnValues } from './own-values.ts';

/** The token and the ids that the reader has requested. */
export type GivenThings = { token: string; values: OwnValues };
type Held = { given: GivenThings | null; keep: (given: GivenThings) => void };
const Things = createContext<Held>({ given: null, keep: () => {} });

export const useGivenThings = (): Held => use(Things);

/** Holds the token and ids across docs pages, until the tab is closed or reloaded. */
export function OwnThings({ children }: { children: ReactNode }) {
  const [given, keep] = useState<GivenThings | null>(null);
  return <Things value={{ given, keep }}>{children}</Things>;
}
