'use client';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useLoaded } from '#web/ui/use-loaded.ts';
import type { Disconnected } from './disconnect-question.tsx';

const loadQuestion = () => import('./disconnect-question.tsx').then((module) => module.DisconnectQuestion);

export function Disconnect(account: Disconnected) {
  const [isAsked, setAsked] = useState(false);
  const Question = useLoaded(loadQuestion, isAsked, () => {
    setAsked(false);
    toast.error('This could not be loaded. Try again.');
  });
  return (
    <>
      <Button variant="ghost" onClick={() => setAsked(true)}>
        Disconnect
      </Button>
      {isAsked && Question && <Question {...account} onClose={() => setAsked(false)} />}
    </>
  );
}
