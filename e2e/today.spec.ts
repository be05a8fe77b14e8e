import type { Page } from '@playwright/test';
import type { PractitionerView } from '#contract/practitioners.ts';
import { toInstant } from '#web/portal/appointments/local-time.ts';
import { addDays } from '#web/ui/format-time.ts';
import { type Api, PORTAL_HEADERS, patientName } from './api.ts';
import { type AppointmentNow, bookAppointmentAt, bookAppointmentIn } from './appointment-now.ts';
import { staffOf } from './card.ts';
import { readClinic } from './clinic-settings.ts';
import { expectAccessibleAndFits } from './fits.ts';
import { expect, test } from './fixtures.ts';

const DAY_MS = 86_400_000;
/** Days of the page's own clock, on which nothing else is booked. */
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const table = (page: Page) => page.getByRole('table', { name: 'Appointments today' });
const rowOf = (page: Page, { appointment }: AppointmentNow) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.locator(`a[href="/appointments/${appointment.id}"]`) });
const figure = (page: Page, label: string) => page.locator('dl > div').filter({ hasText: label });
const joinOf = (page: Page, of: AppointmentNow) => rowOf(page, of).getByRole('link', { name: /^Join/ });

async function practitionerIds(api: Api): Promise<{ own: string; other: string }> {
  const all = await api.call<PractitionerView[]>('/practitioners');
  const { email } = staffOf('practitioner');
  const own = all.find((one) => one.email === email);
  const other = all.find((one) => one !== own && one.calendars.length > 0);
  return { own: own!.id, other: other!.id };
}

let booked: AppointmentNow[] = [];
test.afterEach(async ({ api }) => {
  for (const { appointment } of booked.splice(0)) await api.cancelAppointment(appointment.id);
});

/** Books appointments at these times of the clinic's day; the first and the last are the practitioner's own. */
async function bookDay(page: Page, api: Api, day: string, signIn: (role: 'admin') => Promise<void>) {
  await signIn('admin');
  const { time_zone } = await readClinic(page);
  const at = (time: string, on = day) => toInstant(`${on}T${time}`, time_zone)!;
  const { own, other } = await practitionerIds(api);
  booked = [
    await bookAppointmentAt(at('09:00'), api, { firstName: 'Alder', practitionerId: own }),
    await bookAppointmentAt(at('09:10'), api, { firstName: 'Birch', practitionerId: other }),
    await bookAppointmentAt(at('11:30'), api, { firstName: 'Maple', practitionerId: own }),
  ];
  const [first, others, last] = booked as [AppointmentNow, AppointmentNow, AppointmentNow];
  return { at, first, others, last };
}

const clockTime = ({ appointment }: AppointmentNow) =>
  new Date(appointment.from_date).toLocaleTimeString('en-US', {
    timeZone: 'America/New_York',
    hour: 'numeric',
    minute: '2-digit',
  });

test('an open page follows the time: the next appointment, who may be joined, and at midnight the day', async ({
  page,
  signIn,
  api,
}) => {
  const day = dayIn(250);
  const { at, first, others, last } = await bookDay(page, api, day, signIn);
  await signIn('practitioner');
  await page.clock.install({ time: at('08:55') });
  await page.goto('/');
  const next = figure(page, 'Next');
  await expect(next).toContainText(clockTime(first));
  await expect(next).toContainText(patientName(first.patient));
  await expect(joinOf(page, first)).toHaveAttribute('href', `/appointments/${first.appointment.id}/call`);
  await expect(joinOf(page, last)).toHaveCount(0);
  // A colleague's.
  await expect(rowOf(page, others)).toHaveCount(0);
  const line = table(page).getByRole('row', { name: /^Now, / });
  await expect(line).toHaveCount(0);

  await page.clock.fastForward('20:00');
  await expect(next).toContainText(clockTime(last));
  await expect(next).toContainText(patientName(last.patient));
  await expect(line).toBeVisible();
  const rows = await table(page).getByRole('row').allInnerTexts();
  expect(rows.map((text) => /Alder|Now, |Maple/.exec(text)?.[0])).toEqual([undefined, 'Alder', 'Now, ', 'Maple']);

  const dayBefore = addDays(day, -1);
  await page.clock.setSystemTime(at('23:50', dayBefore));
  await page.goto('/');
  const dayLabel = (on: string) =>
    new Date(`${on}T12:00:00Z`).toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
  await expect(page.getByText(dayLabel(dayBefore), { exact: true })).toBeVisible();
  await expect(rowOf(page, first)).toHaveCount(0);
  await page.clock.fastForward('15:00');
  await expect(page.getByText(dayLabel(day), { exact: true })).toBeVisible();
  await expect(rowOf(page, first)).toBeVisible();
});

test('a practitioner sees their own appointments first, and the choice of all is kept for them in this browser', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const { at, first, others, last } = await bookDay(page, api, dayIn(251), signIn);
  const tab = (name: string) => page.getByRole('group', { name: 'Whose appointments' }).getByRole('button', { name });
  await page.clock.install({ time: at('09:15') });
  await signIn('practitioner');
  await page.goto('/');
  await expect(rowOf(page, last)).toBeVisible();
  await expect(rowOf(page, others)).toHaveCount(0);
  await expect(tab('My appointments')).toHaveAttribute('aria-pressed', 'true');

  await tab('All appointments').click();
  await expect(rowOf(page, others)).toContainText(others.appointment.calendar);
  await expect(figure(page, 'Total')).toContainText('3');
  await page.goto('/');
  await expect(rowOf(page, others)).toBeVisible();
  await page.goto('/?whose=mine');
  await expect(rowOf(page, first)).toBeVisible();
  await expect(rowOf(page, others)).toHaveCount(0);
  await page.goto('/');
  await expect(rowOf(page, others)).toBeVisible();
  await expectAccessibleAndFits(page);

  // A day without appointments.
  await page.clock.setSystemTime(at('09:15', dayIn(254)));
  await page.goto('/?whose=mine');
  await expect(page.getByText('No appointments of yours today')).toBeVisible();
  await page.getByRole('button', { name: 'Show all appointments' }).click();
  await expect(page.getByText('No appointments today')).toBeVisible();
  await page.clock.setSystemTime(at('09:15'));

  // An admin who never had an appointment sees those of everyone and has nothing to choose.
  await signIn('admin');
  await page.goto('/?whose=mine');
  await expect(rowOf(page, others)).toBeVisible();
  await expect(page.getByRole('group', { name: 'Whose appointments' })).toHaveCount(0);
  await signIn('front_desk');
  await page.goto('/?whose=mine');
  await expect(rowOf(page, others)).toBeVisible();
  await expect(joinOf(page, others)).toHaveCount(0);
});

test('a row says how to call the patient', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const { at, first } = await bookDay(page, api, dayIn(252), signIn);
  const data = {
    id: first.patient.id,
    birth_date: '1984-03-12',
    phones_attributes: [{ number: '+12025550123', primary: true }],
  };
  const response = await page.request.post('/api/trpc/patients.update', { headers: PORTAL_HEADERS, data });
  expect(response.status()).toBe(200);
  await page.clock.install({ time: at('08:00') });
  await signIn('front_desk');
  await page.goto('/');
  await expect(rowOf(page, first)).toContainText('born Mar 12, 1984');
  await expect(rowOf(page, first).getByRole('link', { name: '+1 (202) 555-0123' })).toHaveAttribute(
    'href',
    'tel:+12025550123',
  );
});

test('a row says who comes for the first time, and while the page is open whose payment is due', async ({
  page,
  signIn,
  api,
}) => {
  const coming = await bookAppointmentIn(10, api, 'Rowan');
  booked = [coming];
  await signIn('front_desk');
  const listening = page.waitForResponse(/\/api\/live/);
  await page.goto('/');
  const row = rowOf(page, coming);
  await expect(row).toContainText('First appointment');
  await expect(row).not.toContainText('Unpaid');
  await listening;
  await api.subscribe(coming.patient.id, 'paid');
  await expect(row).toContainText('Unpaid');
  await page.goto(`/appointments/${coming.appointment.id}`);
  const head = page.locator('main header');
  await expect(head).toContainText('First appointment');
  await expect(head).toContainText('Unpaid');
});
