import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { createLongPatient } from './long-patient.ts';
import { hidden, press } from './press.ts';

/** Start times of the listed appointments, from the first row on, once the list has that many rows. */
async function timesOf(page: Page, rows: number): Promise<number[]> {
  const times = page.getByRole('table', { name: 'Appointments' }).locator('tbody time');
  await expect(times).toHaveCount(rows);
  return times.evaluateAll((all) => all.map((element) => Date.parse(element.getAttribute('datetime') ?? '')));
}

test('the list begins with the next appointment, and each view has its own appointments', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  const types = await api.call<{ id: number; name: string }[]>('/appointment_types');
  const type = types.find(({ name }) => name === 'Follow-up visit')!;
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const slots = await api.call<{ from_date: string; calendar_id: number; calendar: string }[]>(
    `/availability?appointment_type_id=${type.id}&from_date=${day(2)}&to_date=${day(7)}`,
  );
  const [first] = slots;
  const laterSlots = slots.filter(
    ({ from_date }) => Date.parse(from_date) > Date.parse(first!.from_date) + 3 * 3_600_000,
  );
  const booked: { id: string; calendar: string }[] = [];
  for (const slot of [
    laterSlots.at(-1)!,
    first!,
    laterSlots.find(({ calendar_id }) => calendar_id !== first!.calendar_id)!,
  ]) {
    const { from_date, calendar_id } = slot;
    const input = { patient_id: patient.id, appointment_type_id: type.id, from_date, calendar_id };
    booked.push(await api.call('/appointments', input));
  }
  await api.cancelAppointment(booked[2]!.id);

  await signIn('practitioner');
  await page.goto('/appointments');
  const views = page.getByRole('group', { name: 'Which appointments' });
  await expect(views.getByRole('button', { name: 'Upcoming' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('combobox', { name: 'Search by patient' }).fill(patient.last_name ?? '');
  await page.getByRole('option', { name: patientName(patient) }).click();
  const upcoming = await timesOf(page, 2);
  expect(upcoming).toEqual(upcoming.toSorted((a, b) => a - b));
  await expect(page.getByText('2 appointments', { exact: true })).toBeVisible();

  await views.getByRole('button', { name: 'Canceled' }).click();
  await timesOf(page, 1);
  await expect(page.getByText('1 appointment', { exact: true })).toBeVisible();
  await views.getByRole('button', { name: 'Past' }).click();
  await expect(page.getByText('No appointment matches')).toBeVisible();
  await views.getByRole('button', { name: 'All' }).click();
  await timesOf(page, 3);
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'Practitioner' }).selectOption({ label: booked[2]!.calendar });
  const rows = page.getByRole('table', { name: 'Appointments' }).locator('tbody tr');
  await expect(rows.filter({ hasText: booked[2]!.calendar })).not.toHaveCount(0);
  await expect(rows.filter({ hasNotText: booked[2]!.calendar })).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Practitioner' }).selectOption({ label: 'Any practitioner' });
  const other = types.find(({ id }) => id !== type.id)!;
  await page.getByRole('combobox', { name: 'Appointment type' }).selectOption({ label: other.name });
  await expect(page.getByText('No appointment matches')).toBeVisible();
  await page.getByRole('combobox', { name: 'Appointment type' }).selectOption({ label: type.name });
  await timesOf(page, 3);

  // Several statuses at once; the URL restores them.
  await page.getByRole('button', { name: /^Status/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Canceled' }).click();
  await press(page, 'Escape', hidden(page.getByRole('menu')));
  await timesOf(page, 1);
  await page.getByRole('button', { name: 'Status: Canceled' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Booked' }).click();
  await press(page, 'Escape', hidden(page.getByRole('menu')));
  await timesOf(page, 3);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Status: Booked, Canceled' })).toBeVisible();
  await expect(views.getByRole('button', { name: 'All' })).toHaveAttribute('aria-pressed', 'true');
  for (const { id } of booked.slice(0, 2)) await api.cancelAppointment(id);
});

test('the booking dialog can jump to a month', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: /^Book an appointment/ });
  await dialog.getByLabel('Appointment type').click();
  await page.getByRole('option', { name: /Follow-up visit/ }).click();
  const month = dialog.getByRole('combobox', { name: 'Month' });
  const options = await month.getByRole('option').allInnerTexts();
  expect(options).toHaveLength(13);
  await month.selectOption({ label: options[2]! });
  await expect(dialog.getByRole('tab').first()).toHaveAccessibleName(/ 1, /);
  await expect(dialog.getByText(new RegExp(`^${options[2]!.slice(0, 3)} 1 –`))).toBeVisible();
  await month.selectOption({ label: options[0]! });
  await expect(dialog.getByRole('button', { name: 'Previous' })).toBeDisabled();
  // The number of free calendars is not shown next to a slot.
  await expect(dialog.getByText(/^\d+ free$/)).toHaveCount(0);
});

test('staff see when a patient gets no message', async ({ page, signIn, api }) => {
  const patient = await api.call<{ id: string }>('/patients', { first_name: 'Wren', last_name: 'Example' });
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book appointment' }).click();
  await expect(
    page.getByText(
      'The patient gets no message that the appointment is booked: there is no email address on record. Please tell them yourself.',
    ),
  ).toBeVisible();
});

test('a URL that names no day, no person and no calendar shows the unfiltered list', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  for (const day of ['notadate', '2026-13-45', '2026-02-30', '9999-12-31']) {
    for (const [list, path] of [
      ['Appointments', `/appointments?view=all&from=${day}&until=${day}&with=1e999&type=1.5`],
      ['Audit log', `/settings/audit?from=${day}&until=${day}&who=unknown`],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole('table', { name: list }).locator('tbody tr').first()).toBeVisible();
      for (const end of ['From', 'Until'])
        await expect(page.getByRole('button', { name: end, exact: true })).toBeVisible();
    }
  }
});

test('a narrow list does not break numbers, and a long name leaves room for other columns', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { last_name } = await createLongPatient(api);
  await signIn('admin');
  await page.setViewportSize({ width: 768, height: 900 });
  const linesOf = (text: string) =>
    page.getByText(text, { exact: true }).evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 8))).size;
    });
  await page.goto(`/patients?search=${last_name.slice(-8)}`);
  const row = page.getByRole('table', { name: 'Patients' }).getByRole('row').nth(1);
  await expect(row).toContainText(last_name);
  expect(await linesOf('+1 (202) 555-0123'), 'the number').toBe(1);
  const email = row.locator('[title*="@"]');
  const { height, width } = (await email.boundingBox())!;
  expect(height, 'one line').toBeLessThan(30);
  expect(width).toBeLessThan(200);
  expect((await row.getByRole('link').boundingBox())!.width).toBeLessThan(200);

  await page.goto('/subscriptions');
  await page.getByRole('combobox', { name: 'Search by patient' }).fill(last_name.slice(-8));
  await page.getByRole('listbox', { name: 'Search by patient' }).getByRole('option').first().click();
  const planRows = page.getByRole('table', { name: 'Subscriptions' }).locator('tbody tr');
  await expect(planRows).toHaveCount(2);
  for (const cell of await planRows.locator('td:nth-child(2)').all()) {
    const heights = await cell
      .locator('span span')
      .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().height));
    for (const cellHeight of heights) expect(cellHeight, 'plan and price take a line each').toBeLessThan(30);
  }
});

test('the bottom bar of a phone marks More on the pages behind it', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.setViewportSize({ width: 390, height: 800 });
  const more = page.getByRole('navigation', { name: 'Quick' }).getByRole('button', { name: 'More' });
  await page.goto('/plans');
  await expect(more).toHaveAttribute('aria-current', 'true');
  await page.goto('/patients');
  await expect(more).not.toHaveAttribute('aria-current');
});
