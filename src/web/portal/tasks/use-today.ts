'use client';
import { localDate } from '#web/ui/format-time.ts';
import { useMinute } from '#web/ui/use-minute.ts';
import { useMe } from '../me.tsx';

/** The clinic's day as YYYY-MM-DD; due dates are its days, not the reader's. */
export function useToday(): string {
  const { tenant } = useMe();
  return localDate(new Date(useMinute()), tenant.time_zone);
}
