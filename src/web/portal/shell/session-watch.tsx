'use client';
import dynamic from 'next/dynamic';
import { useSessionEnd } from './use-session-end.ts';

const SessionWarning = dynamic(() => import('./session-warning.tsx').then((module) => module.SessionWarning), {
  ssr: false,
});

/** Warns on every page before the session ends; input on the page is not lost. */
export function SessionWatch() {
  const { endsAt, stay } = useSessionEnd();
  return endsAt !== null && <SessionWarning endsAt={endsAt} stay={stay} />;
}
