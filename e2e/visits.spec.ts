import type { Locator, Page } from '@playwright/test';
import { nameOf } from './api.ts';
import { expect, test } from './fixtures.ts';

/** Takes a free time that a dialog offers. @returns its instant as the API writes it */
async function chooseTime(dialog: Locator, which: 'first' | 'last'): Promise<string> {
  const times = dialog.getByRole('radiogroup', { name: /^Times on/ }).getByRole('radio');
  const time = which === 'first' ? times.first() : times.last();
  await time.click();
  await expect(time).toBeChecked();
  return (await time.getAttribute('value')) ?? '';
}

async function pick(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option }).click();
}

test('staff books a visit from real free times, moves it and cancels it', async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);

  await page.getByRole('button', { name: 'Book visit' }).click();
  const booking = page.getByRole('dialog', { name: `Book a visit for ${nameOf(patient)}` });
  await pick(page, booking.getByLabel('Visit type'), /Follow-up visit/);
  const bookedFor = await chooseTime(booking, 'last');
  await booking.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByText('Visit booked')).toBeVisible();
  const visits = page.getByRole('table', { name: `Visits of ${nameOf(patient)}` });
  await expect(visits.getByRole('row', { name: /Follow-up visit.*Booked/ })).toBeVisible();
  const [booked] = await api.visitsOf(patient.id);
  expect(booked).toMatchObject({ from_date: bookedFor, appointment_type: 'Follow-up visit', status: 'scheduled' });

  await visits.getByRole('button', { name: 'Visit actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to another time' }).click();
  const moving = page.getByRole('dialog', { name: 'Move the visit' });
  const movedTo = await chooseTime(moving, 'first');
  await moving.getByRole('button', { name: 'Move visit' }).click();
  await expect(page.getByText('Visit moved')).toBeVisible();
  const [moved] = await api.visitsOf(patient.id);
  expect(moved).toMatchObject({ id: booked?.id, from_date: movedTo, video_call_url: booked?.video_call_url });

  await visits.getByRole('button', { name: 'Visit actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel visit' }).click();
  const question = page.getByRole('alertdialog', { name: /^Cancel the visit on/ });
  await question.getByRole('button', { name: 'Cancel visit' }).click();
  await expect(page.getByText('Visit canceled')).toBeVisible();
  await expect(visits.getByRole('button', { name: 'Visit actions' })).toBeHidden();
  expect(await api.call(`/appointments/${booked?.id}`)).toMatchObject({ status: 'canceled' });
});

test('a visit is booked for any patient and with one practitioner from the list of visits', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book visit' }).click();
  const booking = page.getByRole('dialog', { name: 'Book a visit' });
  await booking.getByLabel('Patient').fill(patient.last_name ?? '');
  await page.getByRole('option', { name: nameOf(patient) }).click();
  await pick(page, booking.getByLabel('Visit type'), /Medication review/);
  await pick(page, booking.getByLabel('With'), 'Juniper Example');
  const bookedFor = await chooseTime(booking, 'last');
  await booking.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByText('Visit booked')).toBeVisible();
  const [booked] = await api.visitsOf(patient.id);
  expect(booked).toMatchObject({ from_date: bookedFor, calendar: 'Juniper Example' });

  await page.getByRole('combobox', { name: 'Search by patient' }).fill(patient.last_name ?? '');
  await page.getByRole('option', { name: nameOf(patient) }).click();
  const rows = page.getByRole('table', { name: 'Appointments' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText('Juniper Example');
  await api.cancelVisit(booked!.id);
});

test('a time that was lost meanwhile is refused in words and others are offered', async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const [patient, rival] = [await api.createPatient(), await api.createPatient('Rival')];
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book visit' }).click();
  const booking = page.getByRole('dialog', { name: /Book a visit/ });
  await pick(page, booking.getByLabel('Visit type'), /Medication review/);
  await pick(page, booking.getByLabel('With'), 'Alder Example');
  const from_date = await chooseTime(booking, 'last');
  const [type, calendar] = await Promise.all([
    api.call<{ id: number; name: string }[]>('/appointment_types'),
    api.call<{ id: number; name: string }[]>('/calendars'),
  ]);
  const taken = await api.call<{ id: string }>('/appointments', {
    patient_id: rival.id,
    appointment_type_id: type.find(({ name }) => name === 'Medication review')?.id,
    calendar_id: calendar.find(({ name }) => name === 'Alder Example')?.id,
    from_date,
  });
  await booking.getByRole('button', { name: /^Book / }).click();
  await expect(booking.getByRole('alert')).toBeVisible();
  await expect(booking.getByRole('button', { name: 'Book visit' })).toBeDisabled();
  expect(await api.visitsOf(patient.id)).toEqual([]);
  await api.cancelVisit(taken.id);
});
