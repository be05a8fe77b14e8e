'use client';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addDays } from '#web/ui/format-time.ts';
import { FROM_PROVIDER, useTRPC } from '../../trpc-client.tsx';
import { dayBounds } from '../appointments/local-time.ts';
import { missingAvailabilityMessage, reloadIntervalMs } from '../appointments/missing-availability.ts';
import { toAvailableSlots } from './available-slots.ts';

type Days = { first: string; last: string };

/**
 * Appointments of whole days in the reader's zone, and other entries that occupy calendars; null days: not requested
 * yet.
 */
export function useCalendarAppointments(days: Days | null, zone: string) {
  const trpc = useTRPC();
  return useQuery({
    ...trpc.appointments.showCalendar.queryOptions(
      days
        ? { from_date: dayBounds(days.first, zone).start, to_date: dayBounds(addDays(days.last, 1), zone).start }
        : skipToken,
    ),
    placeholderData: keepPreviousData,
  });
}

type Range = { from_date: string; to_date: string };

/** Slots of a type between two instants, or on local days of its calendars. `missing` explains incomplete data. */
export function useAvailability(range: Range | null, typeId: number | undefined, calendarId?: number) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.scheduling.listAvailability.queryOptions(
      typeId === undefined || !range
        ? skipToken
        : {
            appointment_type_id: typeId,
            ...range,
            ...(calendarId !== undefined && { calendar_id: calendarId }),
            partial: true,
          },
      { ...FROM_PROVIDER, refetchInterval: ({ state }) => reloadIntervalMs(state.data) },
    ),
  );
  const times = useMemo(() => query.data && toAvailableSlots(query.data.items), [query.data]);
  return {
    data: query.data,
    times,
    error: query.error,
    missing: missingAvailabilityMessage(query.data),
    asOf: query.data?.availability_as_of ?? null,
  };
}

const TIME_OFF_STALE_MS = 60_000;

export function useTimeOff(days: Days | null) {
  const trpc = useTRPC();
  return useQuery({
    ...trpc.scheduling.showTimeOff.queryOptions(
      days ? { from_date: days.first, to_date: days.last } : skipToken,
      FROM_PROVIDER,
    ),
    staleTime: TIME_OFF_STALE_MS,
    retry: false,
  });
}

/** Appointment types and calendars that the clinic offers. */
export function useCatalogue() {
  const trpc = useTRPC();
  const calendars = useQuery(trpc.scheduling.listCalendars.queryOptions({ size: 1000 }));
  const types = useQuery(trpc.scheduling.listAppointmentTypes.queryOptions({ size: 1000 }));
  return {
    calendars: calendars.data?.items,
    types: types.data?.items,
    error: calendars.error ?? types.error,
    retry: () => void Promise.all([calendars.refetch(), types.refetch()]),
  };
}
