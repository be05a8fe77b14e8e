'use client';
import dynamic from 'next/dynamic';
import { useSessionEnd } from './use-session-end.ts';

const SessionWarning = dynamic(() => import('./session-warning.tsx').then((module) => module.SessionWarning), {
  ssr: false,
});

/** Over every page of the portal: warns before the session ends. What was typed below it stays. */
export function SessionWatch() {
  const { endsAt, stay } = useSessionEnd();
  return endsAt !== null && <SessionWarning endsAt={endsAt} stay={stay} />;
}
