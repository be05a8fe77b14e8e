'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { createLeave } from './create-leave.ts';
import { LeaveContext } from './unsaved.tsx';
import { useLoaded } from './use-loaded.ts';

const loadQuestion = () => import('./leave-question.tsx').then((module) => module.LeaveQuestion);
/** Loaded while there is a connection, for what is typed may be left without one. */
const prepare = () => void loadQuestion().catch(() => {});

/** Around the portal's pages: asks before one of them is left with something that is not saved. */
export function LeaveProvider({ children }: { children: ReactNode }) {
  const [yes, setYes] = useState<(() => void) | null>(null);
  const [leave] = useState(() => createLeave((next) => setYes(() => next), prepare));
  const keep = useCallback(() => setYes(null), []);
  const Question = useLoaded(loadQuestion, yes !== null, keep);
  useEffect(() => leave.listen(), [leave]);
  return (
    <LeaveContext.Provider value={leave}>
      {children}
      {yes && Question && (
        <Question
          onKeep={keep}
          onLeave={() => {
            keep();
            yes();
          }}
        />
      )}
    </LeaveContext.Provider>
  );
}
