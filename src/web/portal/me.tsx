'use client';
import { createContext, type ReactNode, useContext } from 'react';
import type { MeView, Role } from '#contract/settings.ts';

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

export const ROLE_NAMES: Record<Role, string> = { admin: 'Admin', practitioner: 'Practitioner' };
export const ROLE_OPTIONS: { value: Role; label: string }[] = [
  { value: 'practitioner', label: ROLE_NAMES.practitioner },
  { value: 'admin', label: ROLE_NAMES.admin },
];
