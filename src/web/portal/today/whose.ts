'use client';
import { useSyncExternalStore } from 'react';
import type { Role } from '#contract/roles.ts';
import { useMe, useSeesPatients } from '../me.tsx';
import { useQueryParam } from '../use-query-param.ts';

export type Whose = 'mine' | 'all';

const isWhose = (value: string | null | undefined): value is Whose => value === 'mine' || value === 'all';

type Known = {
  role: Role;
  /** The page's URL. */
  param: string;
  /** The last choice in this browser. */
  stored: string | null | undefined;
};

/** Practitioners see their own appointments first. */
export function whoseToShow({ role, param, stored }: Known): Whose {
  if (isWhose(param)) return param;
  if (isWhose(stored)) return stored;
  return role === 'practitioner' ? 'mine' : 'all';
}

const subscribeToNothing = () => () => {};

/**
 * Whose appointments the page shows; staff who never had one of their own cannot choose. The choice is stored for each
 * staff user in this browser; a link with `whose` shows its own. `isKnown` is false on the server, which does not know
 * the stored choice.
 */
export function useWhose(): { whose: Whose; isKnown: boolean; canChoose: boolean; choose: (whose: Whose) => void } {
  const { user, has_appointments } = useMe();
  const canChoose = useSeesPatients() && has_appointments;
  const [param, setParam] = useQueryParam('whose');
  const key = `carelane-today-whose-${user.id}`;
  const stored = useSyncExternalStore<string | null | undefined>(
    subscribeToNothing,
    () => window.localStorage.getItem(key),
    () => undefined,
  );
  return {
    whose: canChoose ? whoseToShow({ role: user.role, param, stored }) : 'all',
    isKnown: !canChoose || isWhose(param) || stored !== undefined,
    canChoose,
    choose: (whose) => {
      window.localStorage.setItem(key, whose);
      setParam(whose);
    },
  };
}
