import type { Locator, Page } from '@playwright/test';
import { patientName } from './api.ts';
import { staffOf } from './card.ts';
import { expect, test } from './fixtures.ts';
import { focused, hidden, press, visible } from './press.ts';

const MAX_STEPS = 40;

/** Presses Tab until the element has the focus, as a keyboard user does. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let step = 0; step < MAX_STEPS; step++) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${element}`);
}

test('with the keyboard alone: sign in, find a patient in the palette, book an appointment', async ({ page, api }) => {
  const patient = await api.createPatient();
  const { email, password } = staffOf('practitioner');
  const { keyboard } = page;

  await page.goto('/sign-in');
  await expect(page.getByLabel('Email')).toBeFocused();
  await keyboard.type(email);
  await keyboard.press('Tab');
  await keyboard.type(password);
  // The page handles keys once its scripts run, and then requests the appointments.
  const appointments = page.waitForResponse(/\/api\/trpc\/[^?]*appointments\.list/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  await appointments;

  await press(page, 'ControlOrMeta+k', focused(page.getByRole('combobox')));
  await keyboard.type(patient.last_name ?? '');
  await page.getByRole('option', { name: patientName(patient), selected: true }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: patientName(patient) }).waitFor();

  const book = page.getByRole('button', { name: 'Book appointment' });
  await tabTo(page, book);
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Book an appointment/ });
  await tabTo(page, dialog.getByLabel('Appointment type'));
  await keyboard.press('Enter');
  await expect(page.getByRole('option').first()).toBeFocused();
  await keyboard.type('Follow');
  await expect(page.getByRole('option', { name: /Follow-up visit/ })).toBeFocused();
  await keyboard.press('Enter');
  // The next day's: today's first slot may be too close by the time that it is requested.
  await tabTo(page, dialog.getByRole('tab', { selected: true }));
  await keyboard.press('ArrowRight');
  await expect(dialog.getByRole('tab', { selected: true })).toBeFocused();
  const times = dialog.getByRole('radiogroup', { name: /^Times on/ }).getByRole('radio');
  await tabTo(page, times.first());
  await keyboard.press('Space');
  await expect(times.first()).toBeChecked();
  await tabTo(page, dialog.getByRole('button', { name: /^Book / }));
  await keyboard.press('Enter');
  await expect(page.getByText('Appointment booked')).toBeVisible();
  await expect(book, 'the focus returns to the button').toBeFocused();

  const [booked] = await api.appointmentsOf(patient.id);
  expect(booked).toMatchObject({ appointment_type: 'Follow-up visit', status: 'scheduled' });
  await api.cancelAppointment(booked!.id);
});

test('the first Tab offers to skip to the content', async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/patients');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('Escape closes a dialog and the palette', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/patients');
  const add = page.getByRole('button', { name: 'Add patient' });
  await add.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Add patient' }).getByLabel('First name')).toBeFocused();
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await expect(add).toBeFocused();
  await press(page, 'ControlOrMeta+k', visible(page.getByRole('dialog')));
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
});

test('a dialog that a menu opened returns the focus to the menu’s button, each time', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const more = page.getByRole('button', { name: 'More actions' });
  for (let time = 0; time < 2; time++) {
    await tabTo(page, more);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Edit details' })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitem', { name: 'New task' })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitem', { name: 'Archive patient' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await press(page, 'Escape', hidden(page.getByRole('alertdialog')));
    await expect(more).toBeFocused();
  }
});
