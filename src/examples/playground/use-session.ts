'use client';
import { useCallback, useEffect, useState } from 'react';
import type { UserPayload } from '#sdk/index.ts';
import { followSession } from './steps/follow-session.ts';
import { readSession } from './steps/read-session.ts';

export type Session =
  | { is: 'opening' }
  | { is: 'out'; wasIn: boolean }
  | { is: 'in'; payload: UserPayload }
  | { is: 'unknown'; error: unknown };

/** Returns the session of this tab or another. The SDK must be configured before. */
export function useSession() {
  const [session, setSession] = useState<Session>({ is: 'opening' });
  const read = useCallback(async () => {
    try {
      const payload = await readSession();
      setSession((before) =>
        payload
          ? { is: 'in', payload }
          : { is: 'out', wasIn: before.is === 'in' || (before.is === 'out' && before.wasIn) },
      );
    } catch (error) {
      setSession({ is: 'unknown', error });
    }
  }, []);
  useEffect(() => {
    void read();
    return followSession(() => void read());
  }, [read]);
  return { session, reloadSession: read };
}
