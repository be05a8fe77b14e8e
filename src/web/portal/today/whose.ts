'use client';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Role } from '#contract/roles.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { STATUSES } from '../appointments/appointment-filters.ts';
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
  /** Whether an appointment was ever booked with the staff user; undefined until loaded. */
  hasOwn: boolean | undefined;
};

/** Practitioners see their own appointments first, unless they have none. */
export function whoseToShow({ role, param, stored, hasOwn }: Known): Whose {
  if (isWhose(param)) return param;
  if (isWhose(stored)) return stored;
  return role === 'practitioner' && hasOwn !== false ? 'mine' : 'all';
}

const subscribeToNothing = () => () => {};

/**
 * Whose appointments the page shows. The choice is stored for each staff user in this browser; a link with `whose` shows
 * its own. `isKnown` is false on the server, which does not know the stored choice.
 */
export function useWhose(): { whose: Whose; isKnown: boolean; choose: (whose: Whose) => void } {
  const trpc = useTRPC();
  const { id, role } = useMe().user;
  const mayHaveOwn = useSeesPatients();
  const [param, setParam] = useQueryParam('whose');
  const key = `carelane-today-whose-${id}`;
  const stored = useSyncExternalStore<string | null | undefined>(
    subscribeToNothing,
    () => window.localStorage.getItem(key),
    () => undefined,
  );
  const isChosen = isWhose(param) || isWhose(stored);
  const own = useQuery({
    ...trpc.appointments.list.queryOptions({ practitioner_id: id, status: STATUSES, size: 1 }),
    enabled: role === 'practitioner' && stored !== undefined && !isChosen,
  });
  const hasOwn = own.data && own.data.items.length > 0;
  return {
    whose: mayHaveOwn ? whoseToShow({ role, param, stored, hasOwn }) : 'all',
    isKnown: !mayHaveOwn || isWhose(param) || stored !== undefined,
    choose: (whose) => {
      window.localStorage.setItem(key, whose);
      setParam(whose);
    },
  };
}
