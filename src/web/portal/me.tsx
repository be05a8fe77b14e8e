'use client';
import { createContext, type ReactNode, useContext } from 'react';
import { CARE_ROLES, type Permission, ROLES, type Role } from '#contract/roles.ts';
import type { MeView } from '#contract/settings.ts';
import { type Needing, permitted } from './permitted.ts';

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

/** Whether the signed-in staff user holds a permission. The server checks each call; this hides what it would reject. */
export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);

/** Whether the signed-in staff user may have a calendar of their own. */
export const useSeesPatients = (): boolean => (CARE_ROLES as readonly Role[]).includes(useMe().user.role);

/** Returns a function that leaves out what needs a permission that the signed-in staff user does not hold. */
export function usePermitted() {
  const { permissions } = useMe();
  return <Item extends Needing>(items: readonly Item[]): Item[] => permitted(items, permissions);
}

export const ROLE_NAMES: Record<Role, string> = {
  admin: 'Admin',
  practitioner: 'Practitioner',
  front_desk: 'Front desk',
  billing: 'Billing',
  read_only: 'Read-only',
};
export const ROLE_OPTIONS: { value: Role; label: string }[] = ROLES.map((value) => ({
  value,
  label: ROLE_NAMES[value],
}));
