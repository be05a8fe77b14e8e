'use client';
import { useQuery } from '@tanstack/react-query';
import { CalendarOff, Stethoscope } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CareTeamView, PractitionerCalendarView, UpcomingAppointments } from '#contract/practitioners.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { zoneName } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { formerName } from '../clinic/former-name.ts';
import { ProviderDisconnected } from '../clinic/provider-disconnected.tsx';
import { useMay } from '../me.tsx';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Practitioners, their calendars, and their upcoming appointments. */
export function PractitionersPage() {
  const trpc = useTRPC();
  const team = useQuery(trpc.practitioners.careTeam.queryOptions());
  return (
    <>
      <PageHeader title="Practitioners" description="Who sees patients, and what is booked with them" />
      {team.error ? (
        <ErrorState error={team.error} title="The calendars could not be loaded" onRetry={() => void team.refetch()} />
      ) : team.data ? (
        <CareTeam {...team.data} />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

function CareTeam({ connection, practitioners, unmatched, outside }: CareTeamView) {
  const mayInvite = useMay('team:manage');
  const isConnected = connection === 'connected';
  return (
    <div className="grid gap-7">
      {connection === 'disconnected' && <ProviderDisconnected />}
      <section aria-label="Practitioners" className="grid gap-3">
        {practitioners.length === 0 ? (
          <Card>
            <EmptyState
              icon={Stethoscope}
              title="No one sees patients yet"
              description="Practitioners show here once they are invited, each with the calendars that carry their email."
              action={
                mayInvite && (
                  <Button asChild>
                    <Link href="/settings/team">Open the team</Link>
                  </Button>
                )
              }
            />
          </Card>
        ) : (
          <ul className="grid gap-3 lg:grid-cols-2">
            {practitioners.map(({ id, name, email, calendars, outside: formerCalendars, visits }) => (
              <Person
                key={id}
                heading="h2"
                title={name}
                under={email}
                calendars={calendars}
                appointments={visits}
                list={calendars.length > 1 || formerCalendars.length > 0 ? id : calendars[0]?.id}
                note={
                  isConnected && formerCalendars.length > 0
                    ? `${PROVIDER} does not offer ${formerCalendars.map((other) => formerName(other, calendars)).join(', ')} any more: appointments there cannot be moved.`
                    : connection !== 'disconnected' &&
                      calendars.length === 0 &&
                      `No calendar yet. A calendar in ${PROVIDER} becomes theirs when its email is ${email}.`
                }
              />
            ))}
          </ul>
        )}
      </section>
      {outside.length > 0 && (
        <section aria-labelledby="outside" className="grid gap-3">
          <div>
            <h2 id="outside" className="font-semibold">
              {isConnected ? `Calendars that ${PROVIDER} does not offer any more` : 'Other calendars'}
            </h2>
            <p className="text-muted">
              {isConnected
                ? 'Appointments are still booked there, and cannot be moved: cancel them and book others.'
                : 'Appointments are booked there that belong to no practitioner of your team.'}
            </p>
          </div>
          <ul className="grid gap-3 lg:grid-cols-2">
            {outside.map(({ id, name, visits }) => (
              <Person
                key={id}
                heading="h3"
                title={name}
                under={isConnected ? `Not in ${PROVIDER} any more` : `${PROVIDER} is not connected`}
                calendars={[]}
                appointments={visits}
                list={id}
              />
            ))}
          </ul>
        </section>
      )}
      {unmatched.length > 0 && (
        <section aria-labelledby="unmatched" className="grid gap-3">
          <div>
            <h2 id="unmatched" className="font-semibold">
              Calendars that belong to no one here
            </h2>
            <p className="text-muted">
              A calendar belongs to the colleague who signs in with its email
              {mayInvite &&
                `: in ${PROVIDER}, write the colleague’s sign-in email into the calendar, or invite a colleague with the calendar’s`}
              . Appointments can be booked all the same.
            </p>
          </div>
          <ul className="grid gap-3 lg:grid-cols-2">
            {unmatched.map(({ emails, visits, ...calendar }) => (
              <Person
                key={calendar.id}
                heading="h3"
                title={calendar.name}
                under={emails.length > 0 ? emails.join(', ') : `No email in ${PROVIDER}`}
                calendars={[calendar]}
                appointments={visits}
                list={calendar.id}
                mark={
                  <Badge tone="warn">
                    <CalendarOff aria-hidden className="size-3" />
                    No owner
                  </Badge>
                }
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

type PersonProps = {
  title: string;
  under: string;
  calendars: PractitionerCalendarView[];
  appointments: UpcomingAppointments;
  /** Filter of the list of appointments: a calendar, or a practitioner with several. */
  list: string | number | undefined;
  /** Heading level. */
  heading: 'h2' | 'h3';
  note?: ReactNode;
  mark?: ReactNode;
};

function Person({ title, under, calendars, appointments, list, heading: Heading, note, mark }: PersonProps) {
  return (
    <li>
      <Card aria-label={title} className="grid h-full content-start gap-3 px-4 py-3.5">
        <div>
          <div className="flex items-start justify-between gap-3">
            <Heading className="min-w-0 font-medium wrap-anywhere">{title}</Heading>
            {mark}
          </div>
          <p className="text-[13px] text-muted wrap-anywhere">{under}</p>
        </div>
        {note && <p className="text-muted wrap-anywhere">{note}</p>}
        {calendars.map((calendar) => (
          <div key={calendar.id} className="wrap-anywhere">
            <p>
              {calendar.name !== title && <span className="font-medium">{calendar.name} · </span>}
              <span className="text-muted">Times in {zoneName(calendar.time_zone)}</span>
            </p>
            <p className="text-[13px] text-muted">
              {calendar.appointment_types.length > 0
                ? calendar.appointment_types.map(({ name }) => name).join(', ')
                : 'No type of appointment is offered in this calendar.'}
            </p>
          </div>
        ))}
        {list !== undefined && (
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-line pt-3">
            <p>
              {appointments.next ? (
                <>
                  <span className="text-muted">Next:</span>{' '}
                  <Link href={`/appointments/${appointments.next.id}`} className="rounded-sm hover:underline">
                    <DateTime value={appointments.next.from_date} calendarZone={appointments.next.time_zone} />
                  </Link>
                </>
              ) : (
                <span className="text-muted">Nothing is booked ahead</span>
              )}
            </p>
            <Link
              href={`/appointments?with=${list}`}
              className="inline-flex min-h-6 items-center rounded-sm text-[13px] text-accent-ink hover:underline"
            >
              {countOf(appointments.upcoming)}
            </Link>
          </div>
        )}
      </Card>
    </li>
  );
}

const countOf = (upcoming: number): string =>
  upcoming === 0 ? 'All appointments' : upcoming === 1 ? '1 upcoming appointment' : `${upcoming} upcoming appointments`;
