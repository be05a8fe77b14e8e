'use client';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import type { EventTopic, EventType } from '#contract/event-types.ts';
import type { EventView } from '#contract/events.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { authorLabel, eventTitle, TYPE_OPTIONS, topicOptions } from '../event-names/event-labels.ts';
import type { PatientLabel } from '../patients/patient.ts';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';

const EventSheet = lazyComponent(() => import('./event-sheet.tsx').then((module) => module.EventSheet));

const PAGE_SIZE = 30;
type Row = EventView & { patient: PatientLabel | undefined };

/** Live list of the clinic's events, latest first. */
export function EventsPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [shown, setShown] = useState<EventView | null>(null);
  const [typeParam, setTypes] = useQueryParam('type');
  const [topicParam, setTopics] = useQueryParam('topic');
  const types = TYPE_OPTIONS.map(({ value }) => value).filter((value) => typeParam.split(',').includes(value));
  // Removes chosen topics that the chosen types do not have.
  const options = topicOptions(types);
  const topics = options.map(({ value }) => value).filter((value) => topicParam.split(',').includes(value));
  const isFiltered = patient !== null || types.length > 0 || topics.length > 0;
  const input = {
    size: PAGE_SIZE,
    ...(types.length > 0 && { event_type: types as EventType[] }),
    ...(topics.length > 0 && { event_topic: topics as EventTopic[] }),
    ...(patient && { patient_id: patient.value }),
  };
  const { rows, more, ...list } = usePages({
    queryKey: trpc.events.latest.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.events.latest.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
  });
  const labelOf = usePatientLabels(rows?.flatMap(({ patient_id }) => patient_id ?? []));
  const columns: Column<Row>[] = [
    {
      header: 'Event',
      phone: 'title',
      cell: (event) => (
        <button
          type="button"
          onClick={() => setShown(event)}
          className="text-left font-medium outline-none after:absolute after:inset-0 hover:underline focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ring"
        >
          {eventTitle(event)}
        </button>
      ),
    },
    {
      header: 'Patient',
      cell: (event) =>
        event.patient_id ? (
          <span className="block wrap-anywhere md:min-w-32">
            <PatientName patient={event.patient} />
          </span>
        ) : (
          <span className="text-muted">–</span>
        ),
    },
    { header: 'By', cell: (event) => <span className="text-muted">{authorLabel(event)}</span> },
    { header: 'When', cell: (event) => <DateTime value={event.created_at} stacked /> },
    {
      header: 'Number',
      align: 'end',
      phone: 'hidden',
      cell: (event) => <span className="text-muted tabular-nums">{event.sequence}</span>,
    },
  ];
  return (
    <>
      <PageHeader title="Events" description="What happened at your clinic, as it is sent to your systems" />
      <DataTable<Row>
        {...list}
        label="Events"
        columns={columns}
        rows={(labelOf ? rows : undefined)?.map((event) => ({
          ...event,
          patient: event.patient_id ? labelOf?.(event.patient_id) : undefined,
        }))}
        rowId={(event) => event.id}
        more={{ ...more, noun: 'event' }}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <FilterMenu
              label="About"
              any="About anything"
              options={TYPE_OPTIONS}
              values={types}
              onChange={(values) => setTypes(values.join(','))}
            />
            <FilterMenu
              label="What happened"
              any="Any event"
              options={options}
              values={topics}
              onChange={(values) => setTopics(values.join(','))}
            />
          </>
        }
        empty={
          isFiltered ? (
            <EmptyState
              icon={Radio}
              title="Nothing like this has happened"
              description="Try another filter, or none."
            />
          ) : (
            <EmptyState
              icon={Radio}
              title="Nothing has happened yet"
              description="All changes at your clinic show here at once: patients, appointments, subscriptions."
            />
          )
        }
      />
      {shown && <EventSheet event={shown} onClose={() => setShown(null)} />}
    </>
  );
}
