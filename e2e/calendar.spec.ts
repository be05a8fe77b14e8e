import type { Page } from '@playwright/test';
import type { AvailabilityView } from '#contract/availability.ts';
import type { AppointmentTypeView, AppointmentView } from '#contract/scheduling.ts';
import { measurePage } from '#dev/bench/pages/measure-page.ts';
import { expectAccessible } from './accessible.ts';
import { type Api, patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press, repeat, visible } from './press.ts';
import { promised } from './prove.ts';

const ZONE = 'America/New_York';
const LIVE_UPDATE_MS = promised(2_000);
const PX_A_MINUTE = 40 / 30;
/** High enough for a whole day, so that the mouse reaches every time. */
const TALL = { width: 1280, height: 1500 };

const dayOf = (instant: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    new Date(instant),
  );

type FreeDay = { day: string; calendarId: number; slots: AvailabilityView[] };

/** The last day of the week with many slots in one calendar, on the reader's clock. */
async function findFreeDay(api: Api): Promise<FreeDay> {
  const [type] = await api.call<AppointmentTypeView[]>('/appointment_types');
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
  const slots = await api.call<AvailabilityView[]>(
    `/availability?appointment_type_id=${type?.id}&from_date=${tomorrow}`,
  );
  const groups = new Map<string, AvailabilityView[]>();
  for (const slot of slots) {
    const key = `${slot.calendar_id} ${dayOf(slot.from_date)}`;
    groups.set(key, [...(groups.get(key) ?? []), slot]);
  }
  const daySlots = [...groups.values()].filter((group) => group.length >= 5).at(-1);
  if (!daySlots) throw new Error('no day of this week has five free times of one calendar');
  return { day: dayOf(daySlots[0]!.from_date), calendarId: daySlots[0]!.calendar_id, slots: daySlots };
}

const addressOf = ({ day, calendarId }: FreeDay, more = '') => `/calendar?day=${day}&with=${calendarId}${more}`;

async function open(page: Page, address: string): Promise<void> {
  await page.setViewportSize(TALL);
  const listening = page.waitForResponse(/\/api\/live/);
  await page.goto(address);
  await page.locator('.visit-grid .is-free').first().waitFor();
  await listening;
}

const appointmentOn = (page: Page, name: string) =>
  page.locator('.visit-grid').getByRole('button', { name: new RegExp(name) });

function bookFirst(api: Api, patientId: string, { slots }: FreeDay): Promise<AppointmentView> {
  const { appointment_type_id, calendar_id, from_date } = slots[0]!;
  return api.call('/appointments', { patient_id: patientId, appointment_type_id, calendar_id, from_date });
}

/** Drags an appointment and drops it elsewhere. */
async function dragAppointment(page: Page, name: string, by: { dx: number; dy: number }): Promise<void> {
  const box = (await appointmentOn(page, name).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + 8];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 10; step += 1) await page.mouse.move(x + (by.dx * step) / 10, y + (by.dy * step) / 10);
  await page.mouse.up();
}

const startOf = async (api: Api, id: string) =>
  Date.parse((await api.call<AppointmentView>(`/appointments/${id}`)).from_date);

test('a slot is booked by a press, a colleague sees it at once, and it is undone', async ({
  page,
  signIn,
  browser,
  sessionOf,
  api,
  watch,
}) => {
  const patient = await api.createPatient();
  const freeDay = await findFreeDay(api);
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  const colleague = await browser.newContext({ storageState: await sessionOf('admin'), timezoneId: ZONE });
  watch.follow(colleague);
  const colleaguesPage = await colleague.newPage();
  await open(colleaguesPage, addressOf(freeDay));

  const box = (await page.locator('.visit-grid .is-free').first().boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + 10);
  const dialog = page.getByRole('dialog', { name: /^Book an appointment with / });
  await dialog.getByLabel('Patient').fill(patient.last_name ?? '');
  await page.getByRole('option', { name: patientName(patient) }).click();
  await expect(dialog.getByText(/The patient .* gets an email/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Book appointment' }).click();
  await expect(page.getByText('Appointment booked')).toBeVisible();
  await expect(appointmentOn(colleaguesPage, patientName(patient))).toBeVisible({ timeout: LIVE_UPDATE_MS });
  const [booked] = await api.appointmentsOf(patient.id);
  expect(booked).toMatchObject({ calendar_id: freeDay.calendarId, status: 'scheduled' });

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone')).toBeVisible();
  await expect(appointmentOn(colleaguesPage, patientName(patient))).toHaveCount(0, { timeout: LIVE_UPDATE_MS });
  expect(await api.appointmentsOf(patient.id)).toEqual([]);
  await colleague.close();
});

test('an appointment is dragged to another slot after a confirmation, moved back by key, and not moved to other times', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Grace');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  const from = Date.parse(appointment.from_date);
  const target = freeDay.slots.at(-1)!;
  await signIn('practitioner');
  await open(page, `/calendar?day=${freeDay.day}`);
  const dialog = page.getByRole('dialog', { name: `Move the appointment of ${patientName(patient)}?` });

  const columns = await page.locator('.visit-grid .ec-body .ec-day').count();
  const width = (await appointmentOn(page, patientName(patient)).boundingBox())!.width;
  const box = (await appointmentOn(page, patientName(patient)).boundingBox())!;
  const isLast = box.x + 1.5 * width > TALL.width - 40;
  expect(columns).toBeGreaterThan(1);
  await dragAppointment(page, patientName(patient), { dx: isLast ? -width : width, dy: 0 });
  await expect(dialog.getByText(/^to .* with /)).toBeVisible();
  await dialog.getByRole('button', { name: 'Keep it as it is' }).click();

  const minutes = (Date.parse(target.from_date) - from) / 60_000;
  await dragAppointment(page, patientName(patient), { dx: 0, dy: minutes * PX_A_MINUTE });
  await expect(
    dialog.getByText(`The patient (${patient.email}) gets an email that the appointment is moved`),
  ).toBeVisible();
  expect(await startOf(api, appointment.id)).toBe(from);
  await dialog.getByRole('button', { name: 'Move appointment' }).click();
  await expect(page.getByText('Appointment moved')).toBeVisible();
  expect(await startOf(api, appointment.id)).toBe(Date.parse(target.from_date));

  await page.keyboard.press('Control+z');
  await expect(page.getByText('Undone')).toBeVisible();
  expect(await startOf(api, appointment.id)).toBe(from);
  await api.cancelAppointment(appointment.id);
});

test('a move cannot be undone when the former slot was taken, and says why', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  const patient = await api.createPatient('Barbara');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  const target = freeDay.slots.at(-1)!;
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  const minutes = (Date.parse(target.from_date) - Date.parse(appointment.from_date)) / 60_000;
  await dragAppointment(page, patientName(patient), { dx: 0, dy: minutes * PX_A_MINUTE });
  await page.getByRole('dialog').getByRole('button', { name: 'Move appointment' }).click();
  await expect(page.getByText('Appointment moved')).toBeVisible();
  const other = await api.createPatient('Katherine');
  const otherAppointment = await bookFirst(api, other.id, freeDay);
  watch.allow(/409 .*appointments\.reschedule/);
  await page.keyboard.press('Control+z');
  await expect(page.getByText('This could not be undone')).toBeVisible();
  await expect(page.getByText(/is not free any more\./)).toBeVisible();
  expect(await startOf(api, appointment.id)).toBe(Date.parse(target.from_date));
  await api.cancelAppointment(appointment.id);
  await api.cancelAppointment(otherAppointment.id);
});

test('a cancellation cannot be undone when its slot was taken, and says why', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  const patient = await api.createPatient('Hedy');
  const freeDay = await findFreeDay(api);
  await bookFirst(api, patient.id, freeDay);
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  await appointmentOn(page, patientName(patient)).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel appointment' }).click();
  const question = page.getByRole('alertdialog', { name: /^Cancel the appointment on/ });
  await expect(question.getByText(/gets an email that the appointment is canceled/)).toBeVisible();
  await question.getByRole('button', { name: 'Cancel appointment' }).click();
  await expect(page.getByText('Appointment canceled')).toBeVisible();
  const other = await api.createPatient('Katherine');
  const otherAppointment = await bookFirst(api, other.id, freeDay);
  watch.allow(/409 .*appointments\.book/);
  await page.keyboard.press('Control+z');
  await expect(page.getByText('This could not be undone')).toBeVisible();
  await expect(page.getByText(/is not free any more\./)).toBeVisible();
  expect(await api.appointmentsOf(patient.id)).toEqual([]);
  await api.cancelAppointment(otherAppointment.id);
});

test('a drop on the past, or on a time that is not offered, is rejected with the reason', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const [patient, other] = [await api.createPatient('Lise'), await api.createPatient('Frances')];
  const freeDay = await findFreeDay(api);
  const [first, second] = freeDay.slots;
  const last = freeDay.slots.at(-1)!;
  const appointment = await bookFirst(api, patient.id, { ...freeDay, slots: [last] });
  const otherAppointment = await bookFirst(api, other.id, { ...freeDay, slots: [second!] });
  await signIn('practitioner');
  const dialog = page.getByRole('dialog', { name: `Move the appointment of ${patientName(patient)}?` });
  const drop = (on: AvailabilityView) => {
    const minutes = (Date.parse(on.from_date) - Date.parse(last.from_date)) / 60_000;
    return dragAppointment(page, patientName(patient), { dx: 0, dy: minutes * PX_A_MINUTE });
  };
  await open(page, addressOf(freeDay));
  await drop(second!);
  await expect(dialog.getByText(/does not offer this time for a .* any more, or never did\./)).toBeVisible();
  await expect(dialog.getByText('Free that day:')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Move appointment' })).toBeDisabled();
  await expectAccessible(page);
  await press(page, 'Escape', hidden(dialog));

  await page.clock.setFixedTime(Date.parse(second!.from_date));
  await open(page, addressOf(freeDay));
  await drop(first!);
  await expect(dialog.getByText('This time has passed. Choose one that is still to come.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Move appointment' })).toBeDisabled();
  await press(page, 'Escape', hidden(dialog));
  expect(await startOf(api, appointment.id)).toBe(Date.parse(last.from_date));
  for (const { id } of [appointment, otherAppointment]) await api.cancelAppointment(id);
});

test('what is dragged stays in the hand while colleagues change the day', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const freeDay = await findFreeDay(api);
  const [dragged, other] = [await api.createPatient('Emmy'), await api.createPatient('Frances')];
  const appointment = await bookFirst(api, dragged.id, freeDay);
  const middle = freeDay.slots[Math.floor(freeDay.slots.length / 2)]!;
  const last = freeDay.slots.at(-1)!;
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  const box = (await appointmentOn(page, patientName(dragged)).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + 8];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 60, { steps: 5 });
  const preview = page.locator('.visit-grid .ec-preview');
  await expect(preview).toContainText(patientName(dragged));

  // A colleague books a slot, and moves the very appointment that is being dragged.
  const otherAppointment = await bookFirst(api, other.id, { ...freeDay, slots: [last] });
  const refreshed = page.waitForResponse(async (response) =>
    /appointments\.showCalendar/.test(response.url()) ? (await response.text()).includes(middle.from_date) : false,
  );
  await api.call(`/appointments/${appointment.id}/reschedule`, { from_date: middle.from_date });
  await refreshed;
  await page.mouse.move(x, y + 80, { steps: 5 });
  await expect(preview).toContainText(patientName(dragged));
  await expect(appointmentOn(page, patientName(other))).toHaveCount(0);

  await page.mouse.up();
  const dialog = page.getByRole('dialog', { name: `Move the appointment of ${patientName(dragged)}?` });
  const time = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, hour: 'numeric', minute: '2-digit' });
  await expect(dialog.getByText(time.format(new Date(middle.from_date))).first()).toBeVisible();
  await press(page, 'Escape', hidden(dialog));
  await expect(appointmentOn(page, patientName(dragged))).toContainText(time.format(new Date(middle.from_date)));
  await expect(appointmentOn(page, patientName(other))).toBeVisible();
  expect(await startOf(api, appointment.id)).toBe(Date.parse(middle.from_date));
  for (const { id } of [appointment, otherAppointment]) await api.cancelAppointment(id);
});

test('week, month and list of the calendar are accessible', async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Grete');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  await signIn('practitioner');
  for (const [view, region] of [
    ['week', 'Week of the calendar'],
    ['month', 'Month of the calendar'],
    ['list', 'Day of the calendar'],
  ]) {
    await page.goto(addressOf(freeDay, `&view=${view}`));
    await page.getByRole('region', { name: region }).getByText(patientName(patient)).first().waitFor();
    await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
    await expectAccessible(page);
  }
  await api.cancelAppointment(appointment.id);
});

test('the scripts of the calendar stay within its limit', async ({ browser, sessionOf, baseURL }) => {
  const session = { storageState: await sessionOf('admin') };
  const figures = await measurePage(browser, `${baseURL}/calendar?view=week`, session);
  expect(figures['JS kB']).toBeLessThanOrEqual(240);
});

test('the sheet of an appointment and the dialogs over the calendar are accessible', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Maria');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  const sheet = page.getByRole('dialog', { name: patientName(patient) });
  for (const [name, role] of [
    ['Move', 'dialog'],
    ['Cancel appointment', 'alertdialog'],
  ] as const) {
    await appointmentOn(page, patientName(patient)).click();
    await sheet.getByRole('button', { name: 'Write a note' }).waitFor();
    await expectAccessible(page);
    await sheet.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole(role, { name: /^(Move|Cancel) the appointment/ });
    await expect(dialog.getByText(/^The patient .* gets an email/)).toBeVisible();
    await expectAccessible(page);
    await press(page, 'Escape', hidden(dialog));
    await press(page, 'Escape', hidden(sheet));
  }
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const booking = page.getByRole('dialog', { name: 'Book an appointment' });
  await booking.getByLabel('Appointment type').waitFor();
  await expectAccessible(page);
  await press(page, 'Escape', hidden(booking));
  await api.cancelAppointment(appointment.id);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a swipe to the side turns to the next day or back, and scrolling does not', async ({ page, signIn }) => {
    const [day, next] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    await signIn('practitioner');
    await page.goto(`/calendar?day=${day}`);
    const list = page.getByRole('region', { name: 'Day of the calendar' });
    await expect(list).toBeVisible();
    const session = await page.context().newCDPSession(page);
    const swipe = async (to: { dx?: number; dy?: number }) => {
      const [x, y] = [195, 600];
      const touch = (type: 'touchStart' | 'touchMove', dx: number, dy: number) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: x + dx, y: y + dy }] });
      await touch('touchStart', 0, 0);
      for (const part of [0.25, 0.5, 0.75, 1]) await touch('touchMove', part * (to.dx ?? 0), part * (to.dy ?? 0));
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const isOn = (shown: string | undefined) => async () => page.url().includes(`day=${shown}`);
    await repeat(() => swipe({ dx: -150 }), isOn(next));
    await expect(list).toBeVisible();
    await swipe({ dy: -150 });
    expect(await isOn(next)()).toBe(true);
    await repeat(() => swipe({ dx: 150 }), isOn(day));
  });
});

test('dragging an appointment does not render the others again', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const freeDay = await findFreeDay(api);
  const [dragged, other] = [await api.createPatient('Radia'), await api.createPatient('Frances')];
  const appointment = await bookFirst(api, dragged.id, freeDay);
  const otherAppointment = await bookFirst(api, other.id, { ...freeDay, slots: freeDay.slots.slice(-1) });
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  await appointmentOn(page, patientName(other)).evaluate((element) => element.setAttribute('data-drawn', 'before'));
  const before = page.locator('.visit-grid [data-drawn=before]');

  const box = (await appointmentOn(page, patientName(dragged)).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + 8];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 60, { steps: 5 });
  await expect(page.locator('.visit-grid .ec-preview')).toContainText(patientName(dragged));
  await expect(before).toHaveCount(1);
  await page.mouse.move(x, y, { steps: 5 });
  await page.mouse.up();
  await expect(page.locator('.visit-grid .ec-preview')).toHaveCount(0);
  await expect(before).toHaveCount(1);
  await page.keyboard.press('Escape');
  for (const { id } of [appointment, otherAppointment]) await api.cancelAppointment(id);
});

test('the keyboard focus in a day stays while others change it', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const freeDay = await findFreeDay(api);
  const middle = freeDay.slots[Math.floor(freeDay.slots.length / 2)]!.from_date;
  const [patient, other] = [await api.createPatient('Joan'), await api.createPatient('Frances')];
  const appointment = await bookFirst(api, patient.id, freeDay);
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  await appointmentOn(page, patientName(patient)).focus();
  const otherAppointment = await bookFirst(api, other.id, { ...freeDay, slots: freeDay.slots.slice(-1) });
  await expect(appointmentOn(page, patientName(other))).toBeVisible();
  await expect(appointmentOn(page, patientName(patient))).toBeFocused();

  await api.call(`/appointments/${appointment.id}/reschedule`, { from_date: middle });
  const time = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, hour: 'numeric', minute: '2-digit' });
  await expect(appointmentOn(page, patientName(patient))).toContainText(time.format(new Date(middle)));
  await expect(appointmentOn(page, patientName(patient))).toBeFocused();
  for (const { id } of [appointment, otherAppointment]) await api.cancelAppointment(id);
});

test('an appointment is opened, moved and given a note without a mouse', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Edsger');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  await appointmentOn(page, patientName(patient)).focus();
  const sheet = page.getByRole('dialog', { name: patientName(patient) });
  await press(page, 'Enter', visible(sheet));
  await sheet.getByRole('button', { name: 'Write a note' }).press('Enter');
  const note = sheet.getByRole('textbox', { name: 'Note' });
  await expect(note).toBeFocused();
  await note.fill('Bring the X-ray.');
  // What is written stays as a draft when the sheet closes.
  await press(page, 'Escape', hidden(sheet));
  await press(page, 'Enter', visible(sheet));
  await sheet.getByRole('button', { name: 'Continue your draft' }).press('Enter');
  await expect(note).toHaveValue('Bring the X-ray.');
  await sheet.getByRole('button', { name: 'Save note' }).press('Enter');
  await expect(sheet.getByText('Bring the X-ray.')).toBeVisible();
  // The form closes after the list has the note, and then moves the focus.
  await expect(note).toBeHidden();
  await sheet.getByRole('button', { name: 'Move', exact: true }).press('Enter');
  const moveDialog = page.getByRole('dialog', { name: 'Move the appointment' });
  await moveDialog.getByRole('radio').last().press('Space');
  await moveDialog.getByRole('button', { name: 'Move appointment' }).press('Enter');
  await expect(page.getByText('Appointment moved')).toBeVisible();
  expect(await startOf(api, appointment.id)).not.toBe(Date.parse(appointment.from_date));
  await api.cancelAppointment(appointment.id);
});

test('a day is printed as its list, without controls', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Barbara');
  const freeDay = await findFreeDay(api);
  const appointment = await bookFirst(api, patient.id, freeDay);
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', 'yes');
  });
  await signIn('practitioner');
  await open(page, addressOf(freeDay));
  await page.getByRole('button', { name: 'Print the day' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-printed', 'yes');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('link', { name: patientName(patient) })).toBeVisible();
  for (const name of ['Print the day', 'Book appointment', /^Actions for/, /^Book \d/])
    await expect(page.getByRole('button', { name }).first()).toBeHidden();
  await api.cancelAppointment(appointment.id);
});
