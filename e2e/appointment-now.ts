import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentView, CalendarView } from '#contract/scheduling.ts';
import type { Api } from './api.ts';
import { cardFile, readCard } from './card.ts';
import { expect } from './fixtures.ts';

export type AppointmentNow = { patient: PatientView; appointment: AppointmentView };

/** A zone without daylight saving time in which it is between 12:00 and 13:00 now. */
export function noonTimeZone(): string {
  const offsetHours = 12 - new Date().getUTCHours();
  // In these names the sign is inverted: west is plus.
  return offsetHours === 0 ? 'Etc/GMT' : `Etc/GMT${offsetHours > 0 ? '-' : '+'}${Math.abs(offsetHours)}`;
}

const MINUTE_MS = 60_000;
const MAX_ATTEMPTS = 40;

export const inMinutes = (minutes: number) =>
  new Date((Math.floor(Date.now() / MINUTE_MS) + minutes) * MINUTE_MS).toISOString();

const ADMIN_QUERY = 'admin=true&noEmail=true';
/** Calls the API as a user of Acuity's own page. */
async function callAcuity<Result>(method: string, endpoint: string, body?: object): Promise<Result> {
  const secrets = JSON.parse(readFileSync(path.join(path.dirname(cardFile()), 'secrets.json'), 'utf8'));
  const send = () =>
    fetch(`${readCard().emulators.acuity}/api/v1${endpoint}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${secrets.acuityUserId}:${secrets.acuityApiKey}`)}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  // The service calls from this address as well, and Acuity's rate limit counts both.
  let response = await send();
  for (let attempt = 0; response.status === 429 && attempt < MAX_ATTEMPTS; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    response = await send();
  }
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as Result;
}

/** Moves an appointment to any time, which only Acuity's own page can do. */
export async function rescheduleAppointment({ patient }: AppointmentNow, minutes: number): Promise<void> {
  const email = encodeURIComponent(patient.email ?? '');
  const [appointment] = await callAcuity<{ id: number }[]>('GET', `/appointments?email=${email}`);
  await callAcuity('PUT', `/appointments/${appointment?.id}/reschedule?${ADMIN_QUERY}`, {
    datetime: inMinutes(minutes),
  });
}

let booked = 0;

/** Books an appointment of a new patient that begins in so many minutes, which only Acuity's own page can do. */
export const bookAppointmentIn = (minutes: number, api: Api, firstName?: string): Promise<AppointmentNow> =>
  bookAppointmentAt(inMinutes(minutes), api, { firstName });

type BookingOptions = { firstName?: string | undefined; practitionerId?: string };

/** Books an appointment of a new patient at any time, in a calendar of the practitioner or in each in turn. */
export async function bookAppointmentAt(
  instant: string,
  api: Api,
  { firstName, practitionerId }: BookingOptions = {},
): Promise<AppointmentNow> {
  const patient = await api.createPatient(firstName);
  const calendars = (await api.call<CalendarView[]>('/calendars')).filter(
    ({ practitioner_id }) => !practitionerId || practitioner_id === practitionerId,
  );
  const calendar = calendars[booked++ % calendars.length]!;
  await callAcuity('POST', `/appointments?${ADMIN_QUERY}`, {
    datetime: instant,
    appointmentTypeID: calendar.appointment_type_ids[0],
    calendarID: calendar.id,
    ...{ firstName: patient.first_name, lastName: patient.last_name, email: patient.email },
  });
  await expect.poll(async () => (await api.appointmentsOf(patient.id)).length).toBe(1);
  return { patient, appointment: (await api.appointmentsOf(patient.id))[0]! };
}
