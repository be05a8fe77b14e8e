import type { Locator, Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import { expectAccessible } from './accessible.ts';
import { type Api, PORTAL_HEADERS, patientName } from './api.ts';
import { chooseDay, chooseSlot } from './choose-slot.ts';
import { blockLiveChanges, expect, test } from './fixtures.ts';

const DAY_MS = 24 * 3600_000;

/**
 * Compares instants: an appointment is formatted in its calendar's zone, a slot in the zone of the first calendar that
 * has it.
 */
function expectStart(appointment: AppointmentView | undefined, instant: string): void {
  expect(Date.parse(appointment?.from_date ?? '')).toBe(Date.parse(instant));
}

async function selectOption(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option }).click();
}

test('staff book an appointment from available slots, move it and cancel it', async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);

  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: `Book an appointment for ${patientName(patient)}` });
  await selectOption(page, dialog.getByLabel('Appointment type'), /Follow-up visit/);
  await chooseDay(dialog);
  const bookedFor = await chooseSlot(dialog, 'last');
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByText('Appointment booked')).toBeVisible();
  const appointments = page.getByRole('table', { name: `Appointments of ${patientName(patient)}` });
  await expect(appointments.getByRole('row', { name: /Follow-up visit.*Booked/ })).toBeVisible();
  const [booked] = await api.appointmentsOf(patient.id);
  expect(booked).toMatchObject({ appointment_type: 'Follow-up visit', status: 'scheduled' });
  expectStart(booked, bookedFor);

  await appointments.getByRole('button', { name: /^Actions for Follow-up visit, / }).click();
  await page.getByRole('menuitem', { name: 'Move appointment' }).click();
  const moveDialog = page.getByRole('dialog', { name: 'Move the appointment' });
  // On the appointment's own day, with its time marked.
  const ownDay = moveDialog.getByRole('tab', { name: /the day of the appointment$/ });
  await expect(ownDay).toHaveAttribute('aria-selected', 'true');
  await expect(moveDialog.getByText(/^\d+:\d\d [AP]M\s*the appointment is now$/)).toBeVisible();
  await expect(
    moveDialog.getByText(`The patient (${patient.email}) gets an email that the appointment is moved`),
  ).toBeVisible();
  const another = booked?.calendar === 'Alder Example' ? 'Rowan Example' : 'Alder Example';
  await selectOption(page, moveDialog.getByLabel('With'), another);
  await chooseDay(moveDialog);
  const rescheduledTo = await chooseSlot(moveDialog, 'first');
  await moveDialog.getByRole('button', { name: 'Move appointment' }).click();
  await expect(page.getByText('Appointment moved')).toBeVisible();
  const [rescheduled] = await api.appointmentsOf(patient.id);
  expect(rescheduled).toMatchObject({ id: booked?.id, video_call_url: booked?.video_call_url });
  expect(rescheduled?.calendar).toBe(another);
  expectStart(rescheduled, rescheduledTo);

  await appointments.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
  const confirmation = page.getByRole('alertdialog', { name: /^Cancel the appointment on/ });
  await confirmation.getByRole('button', { name: 'Cancel appointment' }).click();
  await expect(page.getByText('Appointment canceled')).toBeVisible();
  // At once, because the offer lasts ten seconds. The newest is the last.
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByText(/is booked again\. It has a new video link\./)).toBeVisible();
  await expect(appointments.getByRole('row', { name: /Follow-up visit.*Booked/ })).toBeVisible();
  const pastAppointments = page.getByRole('table', { name: `Past and canceled, ${patientName(patient)}` });
  await expect(pastAppointments.getByRole('row', { name: /Follow-up visit.*Canceled/ })).toBeVisible();
  expect(await api.call(`/appointments/${booked?.id}`)).toMatchObject({ status: 'canceled' });
  const again = (await api.appointmentsOf(patient.id)).find(({ status }) => status === 'scheduled');
  expect(again).toMatchObject({ from_date: rescheduled?.from_date, calendar: another });
  expect(again?.id).not.toBe(booked?.id);
  await api.cancelAppointment(again!.id);
});

test('an appointment is booked for any patient and with one practitioner from the list of appointments', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: 'Book an appointment' });
  await dialog.getByLabel('Patient').fill(patient.last_name ?? '');
  await page.getByRole('option', { name: patientName(patient) }).click();
  await selectOption(page, dialog.getByLabel('Appointment type'), /Medication review/);
  await selectOption(page, dialog.getByLabel('With'), 'Juniper Example');
  await chooseDay(dialog);
  const bookedFor = await chooseSlot(dialog, 'last');
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByText('Appointment booked')).toBeVisible();
  const [booked] = await api.appointmentsOf(patient.id);
  expect(booked).toMatchObject({ calendar: 'Juniper Example' });
  expectStart(booked, bookedFor);

  await page.getByRole('combobox', { name: 'Search by patient' }).fill(patient.last_name ?? '');
  await page.getByRole('option', { name: patientName(patient) }).click();
  const rows = page.getByRole('table', { name: 'Appointments' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText('Juniper Example');
  await api.cancelAppointment(booked!.id);
});

/** Opens the dialog for a medication review with one practitioner, and chooses the last slot of a day. */
async function chooseReview(page: Page, patient: PatientView): Promise<{ dialog: Locator; from_date: string }> {
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: /Book an appointment/ });
  await selectOption(page, dialog.getByLabel('Appointment type'), /Medication review/);
  await selectOption(page, dialog.getByLabel('With'), 'Alder Example');
  await chooseDay(dialog);
  return { dialog, from_date: await chooseSlot(dialog, 'last') };
}

/** What a colleague sends to book the same slot for another patient. */
async function sameReview(api: Api, from_date: string) {
  const idOf = async (path: string, name: string) =>
    (await api.call<{ id: number; name: string }[]>(path)).find((one) => one.name === name)!.id;
  return {
    patient_id: (await api.createPatient('Rival')).id,
    appointment_type_id: await idOf('/appointment_types', 'Medication review'),
    calendar_id: await idOf('/calendars', 'Alder Example'),
    from_date,
  };
}

test('a chosen slot that a colleague takes is marked and cannot be booked, until it is free again', async ({
  page,
  signIn,
  browser,
  sessionOf,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  const listening = page.waitForResponse(/\/api\/live/);
  const { dialog, from_date } = await chooseReview(page, patient);
  await listening;
  const book = dialog.getByRole('button', { name: /^Book / });
  const chosen = dialog.getByRole('radio', { checked: true });
  await expect(book).toBeEnabled();

  const colleague = await browser.newContext({ storageState: await sessionOf('front_desk') });
  const data = await sameReview(api, from_date);
  const response = await colleague.request.post('/api/trpc/appointments.book', { headers: PORTAL_HEADERS, data });
  expect(response.status(), await response.text()).toBe(200);
  await expect(book).toBeDisabled();
  await expect(dialog.getByRole('status').getByText('This time has just been taken. Choose another.')).toBeVisible();
  await expect(chosen).toHaveText(/taken$/);
  await expect(book).toHaveAccessibleDescription('This time has just been taken. Choose another.');
  await expectAccessible(page);

  const [taken] = await api.appointmentsOf(data.patient_id);
  await api.cancelAppointment(taken!.id);
  await expect(book).toBeEnabled();
  await expect(chosen).not.toHaveText(/taken$/);
  await expect(dialog.getByText('This time has just been taken')).toBeHidden();
  await colleague.close();
});

test('a slot that was taken in the meantime is reported, and others are offered', async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const patient = await api.createPatient();
  // As if the colleague pressed the button in the same moment.
  await blockLiveChanges(page);
  await signIn('practitioner');
  const { dialog, from_date } = await chooseReview(page, patient);
  const rivalAppointment = await api.call<{ id: string }>('/appointments', await sameReview(api, from_date));
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Book appointment' })).toBeDisabled();
  expect(await api.appointmentsOf(patient.id)).toEqual([]);

  // Alder's calendar is in Chicago.
  const alternatives = dialog.getByRole('button', { name: /\(.+ in Chicago\) with Alder Example$/ });
  const names = await alternatives.allInnerTexts();
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
  await alternatives.first().click();
  await expect(dialog.getByRole('alert')).toBeHidden();
  await expect(dialog.getByRole('radio', { checked: true })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Book / })).toBeEnabled();
  await api.cancelAppointment(rivalAppointment.id);
});

test('a second appointment of a patient at one time is rejected, and booked when staff confirm it', {
  tag: '@prove',
}, async ({ page, signIn, api, watch }) => {
  watch.allow(/409/);
  const [patient, other] = [await api.createPatient(), await api.createPatient('Other')];
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: 'Book an appointment' });
  const choosePatient = async (person: typeof patient) => {
    await dialog.getByLabel('Patient').fill(person.last_name ?? '');
    await page.getByRole('option', { name: patientName(person) }).click();
  };
  await choosePatient(patient);
  await selectOption(page, dialog.getByLabel('Appointment type'), /Follow-up visit/);

  // A slot of two practitioners, of which the patient has one already.
  const types = await api.call<{ id: number; name: string }[]>('/appointment_types');
  const appointment_type_id = types.find(({ name }) => name === 'Follow-up visit')!.id;
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const slots = await api.call<{ from_date: string; calendar_id: number }[]>(
    `/availability?appointment_type_id=${appointment_type_id}&from_date=${dayAt(Date.now() + DAY_MS)}&to_date=${dayAt(Date.now() + 5 * DAY_MS)}`,
  );
  const startOf = ({ from_date }: { from_date: string }) => Date.parse(from_date);
  const sharedSlot = slots.find((slot) =>
    slots.some((candidate) => startOf(candidate) === startOf(slot) && candidate !== slot),
  );
  expect(sharedSlot, 'a time of two practitioners').toBeDefined();
  const { from_date, calendar_id } = sharedSlot!;
  const chooseSharedSlot = async () => {
    const day = new Intl.DateTimeFormat('en-US', { day: 'numeric', timeZone: 'America/New_York' }).format(
      startOf(sharedSlot!),
    );
    await dialog.getByRole('tab', { name: new RegExp(` ${day},`) }).click();
    const times = dialog.getByRole('radiogroup', { name: /^Times on/ }).getByRole('radio');
    const values = await times.evaluateAll((radios) => radios.map((radio) => radio.getAttribute('value') ?? ''));
    await times.nth(values.findIndex((value) => Date.parse(value) === startOf(sharedSlot!))).click();
  };
  const appointment = { appointment_type_id, calendar_id, from_date };
  const existing = await api.call<{ id: string }>('/appointments', { patient_id: patient.id, ...appointment });

  await chooseSharedSlot();
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(dialog.getByText('The patient already has an appointment at this time.')).toBeVisible();
  expect(await api.appointmentsOf(patient.id)).toHaveLength(1);
  // The error for one patient does not apply to another.
  await choosePatient(other);
  await expect(dialog.getByRole('button', { name: 'Book it anyway' })).toBeHidden();
  await choosePatient(patient);
  await chooseSharedSlot();
  await dialog.getByRole('button', { name: /^Book / }).click();
  await dialog.getByRole('button', { name: 'Book it anyway' }).click();
  await expect(page.getByText('Appointment booked')).toBeVisible();
  const appointments = await api.appointmentsOf(patient.id);
  expect(appointments.map(startOf)).toEqual([startOf(sharedSlot!), startOf(sharedSlot!)]);
  expect(appointments.map(({ id }) => id)).toContain(existing.id);
  expect(await api.appointmentsOf(other.id)).toEqual([]);
  for (const { id } of appointments) await api.cancelAppointment(id);
});

test('the reason why a time is not among the slots is shown next to them', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book appointment' }).first().click();
  const dialog = page.getByRole('dialog');
  await selectOption(page, dialog.getByLabel('Appointment type'), /Follow-up visit/);
  await selectOption(page, dialog.getByLabel('With'), appointment.calendar);
  await expect(dialog.getByText(/^Times as of/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Why not this time?' }).click();
  const message = async (localTime: string) => {
    await dialog.getByLabel(/^The time you miss, in/).fill(localTime);
    await dialog.getByRole('button', { name: 'Why not this time?' }).click();
    return dialog.locator('[aria-live="polite"]').getByRole('listitem');
  };
  const day = appointment.from_date.slice(0, 10);
  await expect(await message(appointment.from_date.slice(0, 16))).toHaveText([
    `${appointment.calendar} has another appointment then, or too close to it.`,
  ]);
  // The dialog scrolls to it.
  await expect(dialog.locator('[aria-live="polite"]').getByRole('listitem')).toBeInViewport({ ratio: 1 });
  await expect(await message(`${day}T03:00`)).toContainText([/outside the hours of|does not say why/]);
  await expectAccessible(page);
  await api.cancelAppointment(appointment.id);
});
