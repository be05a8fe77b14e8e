'use client';
import { useMe } from '../me.tsx';
import { useDayIn } from '../now.tsx';

/** The clinic's day as YYYY-MM-DD; due dates are its days, not the reader's. */
export const useToday = (): string => useDayIn(useMe().tenant.time_zone);
