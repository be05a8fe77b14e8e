'use client';
import './calendar-tones.css';
import { CalendarDays, Printer } from 'lucide-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { AddButton, Button } from '#web/ui/button.tsx';
import { DatePicker } from '#web/ui/date-picker.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { Pager } from '#web/ui/pagination.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { dayBounds } from '../appointments/local-time.ts';
import { ProviderDisconnected } from '../clinic/provider-disconnected.tsx';
import { useMay, useMe } from '../me.tsx';
import { useDayIn, useNow } from '../now.tsx';
import { useDayParam, useNumberParam, useQueryParam } from '../use-query-param.ts';
import { type AvailableSlot, slotAt } from './available-slots.ts';
import type { SlotToBook } from './book-slot.tsx';
import type { GridPosition } from './calendar-grid.tsx';
import { CalendarNotes } from './calendar-notes.tsx';
import { formerCalendars } from './calendars.ts';
import { gridEvents } from './grid-events.ts';
import { availabilityRange, shownDays, stepFrom, titleOf, VIEWS, type View, viewOf } from './shown-days.ts';
import { useAvailability, useCalendarAppointments, useCatalogue, useTimeOff } from './use-calendar.ts';
import { useSwipe } from './use-swipe.ts';

type CalendarToolbarProps = {
  view: View;
  day: string;
  today: string;
  calendars: CalendarView[];
  /** Empty means all calendars. */
  practitioners: string[];
  types: AppointmentTypeView[] | undefined;
  type: number | undefined;
  onDay: (day: string | null) => void;
  onStep: (direction: 1 | -1) => void;
  onPractitioners: (ids: string[]) => void;
  onType: (id: string) => void;
  onPrint: () => void;
};

const STEPS = { day: 'Days', list: 'Days', week: 'Weeks', month: 'Months' };

function CalendarToolbar(props: CalendarToolbarProps) {
  const { view, day, today, calendars, practitioners, types, type, onDay, onStep, onPractitioners, onType, onPrint } =
    props;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 print:hidden">
      <Pager label={STEPS[view]} onPrevious={() => onStep(-1)} onNext={() => onStep(1)} />
      <Button onClick={() => onDay(null)} disabled={day === today}>
        Today
      </Button>
      <DatePicker label="Go to" value={day} onChange={onDay} />
      <FilterMenu
        label="Practitioners"
        any="All practitioners"
        options={calendars.map(({ id, name }) => ({ value: String(id), label: name }))}
        values={practitioners}
        onChange={onPractitioners}
      />
      {view !== 'month' && types?.length !== 0 && (
        <span className="flex items-center gap-2 max-md:w-full">
          <span aria-hidden className="shrink-0 text-[13px] text-muted">
            Free for
          </span>
          <FilterSelect
            label="Free for"
            options={(types ?? []).map(({ id, name, duration_minutes }) => ({
              value: String(id),
              label: `${name}, ${duration_minutes} min`,
            }))}
            value={String(type ?? '')}
            onChange={onType}
            className="w-60 max-md:min-w-0 max-md:flex-1"
          />
        </span>
      )}
      {(view === 'day' || view === 'list') && (
        <Button onClick={onPrint} className="max-md:hidden">
          <Printer aria-hidden />
          Print the day
        </Button>
      )}
    </div>
  );
}

const PHONE_QUERY = '(max-width: 767px)';

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(PHONE_QUERY);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Returns whether the viewport is as narrow as a phone; null on the server, where that is unknown. */
const useNarrow = (): boolean | null =>
  useSyncExternalStore<boolean | null>(
    subscribe,
    () => window.matchMedia(PHONE_QUERY).matches,
    () => null,
  );

const NONE: CalendarView[] = [];

const Waiting = () => (
  <div role="status">
    <span className="sr-only">Loading the calendar…</span>
    {/* Height of a usual day's hours, which prevents a layout shift. */}
    <Skeleton className="h-[54rem] rounded-lg max-md:h-[32rem]" />
  </div>
);
const loadGrid = () => import('./calendar-grid.tsx').then((module) => module.CalendarGrid);
const CalendarGrid = lazyComponent(loadGrid, Waiting);
const loadDayList = () => import('./day-list.tsx').then((module) => module.DayList);
const DayList = lazyComponent(loadDayList, Waiting);
const BookDialog = lazyComponent(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog));
const BookSlot = lazyComponent(() => import('./book-slot.tsx').then((module) => module.BookSlot));
const RescheduleToSlot = lazyComponent(() =>
  import('./reschedule-to-slot.tsx').then((module) => module.RescheduleToSlot),
);
const AppointmentSheet = lazyComponent(() =>
  import('./appointment-sheet.tsx').then((module) => module.AppointmentSheet),
);
const SlotUnavailableDialog = lazyComponent(() =>
  import('./slot-unavailable-dialog.tsx').then((module) => module.SlotUnavailableDialog),
);

type Open =
  | { kind: 'book' }
  | { kind: 'slot'; slot: SlotToBook }
  | { kind: 'appointment'; id: string }
  | { kind: 'move'; id: string; to: GridPosition }
  | { kind: 'not_free'; position: GridPosition };

export function CalendarPage() {
  const zone = useReaderZone();
  const now = useNow();
  const [dayParam, setDay] = useDayParam('day');
  const [viewParam, setView] = useQueryParam('view');
  const [practitioners, setPractitioners] = useQueryParam('with');
  const [typeParam, setType] = useNumberParam('type');
  const [open, setOpen] = useState<Open | null>(null);
  const isNarrow = useNarrow();
  const { permissions } = useMe();
  const mayBook = useMay('appointments:write');
  const today = useDayIn(zone);
  const day = dayParam ?? today;
  // Phones show the list instead of the grid.
  const view = isNarrow ? 'list' : viewOf(viewParam);
  const days = useMemo(() => shownDays(view, day), [view, day]);
  // Along with the data. What could not be loaded is loaded again when it is rendered.
  useEffect(() => {
    if (isNarrow !== null) (view === 'list' ? loadDayList() : loadGrid()).catch(() => {});
  }, [view, isNarrow]);
  const catalogue = useCatalogue();
  const { types, retry } = catalogue;
  // Before hydration, neither the reader's time zone nor the view is known.
  const requestedDays = isNarrow === null ? null : days;
  const appointments = useCalendarAppointments(requestedDays, zone);
  const isNotConnected =
    catalogue.error !== null && readApiErrors(catalogue.error)[0].code === 'integration_not_connected';
  const isDisconnected = isNotConnected && appointments.data?.connection === 'disconnected';
  const calendars = isDisconnected ? NONE : catalogue.calendars;
  const former = useMemo(
    () => (calendars && appointments.data ? formerCalendars(appointments.data.items, calendars) : []),
    [appointments.data, calendars],
  );
  const all = useMemo(() => [...(calendars ?? []), ...former], [calendars, former]);
  const chosen = useMemo(() => {
    const ids = practitioners.split(',').map(Number);
    const selected = all.filter(({ id }) => ids.includes(id));
    return selected.length > 0 ? selected : all;
  }, [all, practitioners]);
  const hiddenCalendars = useMemo(() => all.filter((calendar) => !chosen.includes(calendar)), [all, chosen]);
  const type = types?.find(({ id }) => id === typeParam) ?? types?.[0];
  const free = useAvailability(requestedDays && availabilityRange(requestedDays, zone), type?.id);
  const off = useTimeOff(requestedDays);
  const events = useMemo(
    () =>
      gridEvents({
        ...{ appointments: appointments.data, times: free.times, off: off.data },
        ...{ types, hiddenCalendars, permissions, now },
      }),
    [appointments.data, free.times, off.data, types, hiddenCalendars, permissions, now],
  );
  const step = (direction: 1 | -1) => setDay(stepFrom(view, day, direction));
  const swipe = useSwipe(step);
  const close = () => setOpen(null);
  const print = usePrint(view === 'list', () => setView('list'));
  const appointmentOf = (id: string) => appointments.data?.items.find((appointment) => appointment.id === id);
  const calendarOf = (id: number) => calendars?.find((calendar) => calendar.id === id);
  const book = (time: AvailableSlot) => {
    const calendar = calendarOf(time.calendarId);
    if (calendar && type) setOpen({ kind: 'slot', slot: { calendar, fromDate: time.fromDate, typeId: type.id } });
  };
  const openPosition = (position: GridPosition) => {
    const time = slotAt(free.times ?? [], position.calendarId, position.at);
    if (time) book(time);
    else setOpen({ kind: 'not_free', position });
  };
  const shown = open?.kind === 'appointment' || open?.kind === 'move' ? appointmentOf(open.id) : undefined;
  const pressedCalendar = open?.kind === 'not_free' ? calendarOf(open.position.calendarId) : undefined;
  const bounds = dayBounds(day, zone);
  const ofDay = <Item extends { from_date: string; to_date: string }>(items: Item[] = []) =>
    items.filter(
      ({ from_date, to_date }) =>
        Date.parse(from_date) <= Date.parse(bounds.end) && Date.parse(to_date) > Date.parse(bounds.start),
    );
  const isNotSetUp = isNotConnected && appointments.data !== undefined && !isDisconnected;
  const failed = (isNotConnected ? null : catalogue.error) ?? (appointments.data ? null : appointments.error);
  const isWaiting = !failed && (!calendars || !appointments.data || isNarrow === null);
  return (
    <>
      <PageHeader
        title="Calendar"
        description={titleOf(view, day)}
        actions={mayBook && <AddButton onClick={() => setOpen({ kind: 'book' })}>Book appointment</AddButton>}
      />
      {isNotSetUp && <NoCalendarsYet />}
      {isDisconnected && <ProviderDisconnected />}
      {/* Rendered before the viewport is known, so that it does not shift other content later. */}
      {!isNarrow && !isNotSetUp && (
        <div className="max-md:hidden">
          <ViewTabs label="What is shown" options={VIEWS} value={view} onChange={(next) => setView(next)} />
        </div>
      )}
      {!isNotSetUp && (
        <CalendarToolbar
          {...{ view, day, today }}
          types={isDisconnected ? [] : types}
          calendars={all}
          type={type?.id}
          practitioners={chosen.length === all.length ? [] : chosen.map(({ id }) => String(id))}
          onDay={(next) => setDay(next)}
          onStep={step}
          onPractitioners={(ids) => setPractitioners(ids.join(','))}
          onType={setType}
          onPrint={print}
        />
      )}
      {appointments.data?.more && (
        <p role="status" className="mb-3 font-medium">
          There are more appointments than can be shown at once: the last of these days look free but are not. Choose
          fewer days.
        </p>
      )}
      {isNotSetUp ? null : failed ? (
        <ErrorState
          error={failed}
          title="The calendar could not be loaded"
          onRetry={() => {
            retry();
            void appointments.refetch();
          }}
        />
      ) : isWaiting || !calendars || !appointments.data ? (
        <Waiting />
      ) : all.length === 0 && isDisconnected ? (
        <EmptyState
          title="No appointments on these days"
          description="Look at other days: what was booked is still there."
        />
      ) : all.length === 0 ? (
        <EmptyState
          title="There is no calendar yet"
          description={`Calendars of your team show here once they are made in ${SCHEDULING_PROVIDER.name}.`}
        />
      ) : view === 'list' ? (
        <section aria-label="Day of the calendar" className="touch-pan-y" {...swipe}>
          <DayList
            calendars={chosen}
            appointments={ofDay(appointments.data.items)}
            held={ofDay(appointments.data.held)}
            off={ofDay(off.data)}
            times={
              free.error
                ? []
                : free.times?.filter(({ at }) => at >= Date.parse(bounds.start) && at <= Date.parse(bounds.end))
            }
            type={type}
            types={types ?? []}
            zone={zone}
            onBook={mayBook ? book : undefined}
          />
        </section>
      ) : (
        <section
          aria-label={`${VIEWS.find(({ value }) => value === view)?.label} of the calendar`}
          className="overflow-hidden rounded-lg border border-line bg-surface"
        >
          <CalendarGrid
            {...{ view, day, events }}
            calendars={chosen}
            onOpen={(id) => appointmentOf(id) && setOpen({ kind: 'appointment', id })}
            onPress={mayBook ? openPosition : undefined}
            onDrop={(id, to) => setOpen({ kind: 'move', id, to })}
            onDay={(next) => {
              setDay(next);
              setView('day');
            }}
          />
        </section>
      )}
      {!isWaiting && !isNotSetUp && (
        <CalendarNotes
          {...{ view, zone, type, mayBook }}
          former={isDisconnected ? [] : former}
          types={types ?? []}
          calendars={chosen}
          free={free}
          offError={isDisconnected ? null : off.error}
        />
      )}
      {open?.kind === 'book' && <BookDialog open onOpenChange={close} />}
      {open?.kind === 'slot' && <BookSlot slot={open.slot} types={types ?? []} onClose={close} />}
      {open?.kind === 'appointment' && shown && <AppointmentSheet appointment={shown} onClose={close} />}
      {open?.kind === 'move' && shown && (
        <RescheduleToSlot
          appointment={shown}
          target={{ ...open.to, calendar: all.find(({ id }) => id === open.to.calendarId)?.name ?? '' }}
          onClose={close}
        />
      )}
      {open?.kind === 'not_free' && type && pressedCalendar && (
        <SlotUnavailableDialog
          position={open.position}
          calendar={pressedCalendar}
          type={type}
          times={free.times ?? []}
          onBook={book}
          onClose={close}
        />
      )}
    </>
  );
}

/** Prints after the printable view has rendered. A day is printed as a list, which needs neither color nor width. */
function usePrint(isShown: boolean, show: () => void): () => void {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || !isShown) return;
    setWanted(false);
    window.print();
  }, [isWanted, isShown]);
  return () => {
    show();
    setWanted(true);
  };
}

/** Not an error but a first step: a new clinic has no connected calendars yet. */
function NoCalendarsYet() {
  const mayConnect = useMay('settings:manage');
  const mayBook = useMay('appointments:write');
  return (
    <EmptyState
      icon={CalendarDays}
      title="Connect times first"
      description={`The calendars of your team are kept in ${SCHEDULING_PROVIDER.name}. Once it is connected, they show here.`}
      action={
        mayConnect ? (
          <Button asChild variant="primary">
            <Link href="/settings/integrations">Connect times</Link>
          </Button>
        ) : (
          mayBook && 'Ask an administrator of your clinic.'
        )
      }
    />
  );
}
