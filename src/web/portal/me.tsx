'use client';
import { createContext, type ReactNode, useContext } from 'react';
import type { MeView } from '#contract/settings.ts';

const MeContext = createContext<MeView | null>(null);

export function MeProvider({ me, children }: { me: MeView; children: ReactNode }) {
  return <MeContext.Provider value={me}>{children}</MeContext.Provider>;
}

/** The signed-in staff user and their tenant. */
export function useMe(): MeView {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe belongs inside the portal');
  return me;
}
