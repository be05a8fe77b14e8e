'use client';
import { useEffect, useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { type AppointmentPhase, phaseOf } from './appointment.ts';

/** Upper bound of a timer: browsers fire delays above 2^31 - 1 ms immediately. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;

/** Phase of an appointment; updates when the appointment begins or ends. */
export function usePhase(appointment: Pick<AppointmentView, 'status' | 'from_date' | 'to_date'>): AppointmentPhase {
  const [now, setNow] = useState(() => Date.now());
  const { from_date, to_date } = appointment;
  useEffect(() => {
    const next = [from_date, to_date].map((at) => Date.parse(at)).find((at) => at > now);
    if (next === undefined) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(next - Date.now(), MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  }, [from_date, to_date, now]);
  return phaseOf(appointment, now);
}
