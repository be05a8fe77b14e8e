'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { createLeave } from './create-leave.ts';
import { LeaveContext } from './unsaved.tsx';
import { useLoaded } from './use-loaded.ts';

const loadQuestion = () => import('./leave-question.tsx').then((module) => module.LeaveQuestion);
/** Loads the dialog while there is a connection, so that it also works offline. */
const prepare = () => void loadQuestion().catch(() => {});

/** Wraps the portal's pages: asks for confirmation before a page with unsaved changes is left. */
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
