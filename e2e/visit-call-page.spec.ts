import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { type AppointmentNow, bookAppointmentIn } from './appointment-now.ts';
import { connectCall, expectBothMedia, goToWaitingRoom, hangUp, openWithDevices, WITH_DEVICES } from './call.ts';
import { expect, test } from './fixtures.ts';
import { expectSound } from './sound.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => hangUp(browser, context));

const theCall = (page: Page) => page.getByRole('region', { name: 'The call', exact: true });

test('the link of a video visit is replaced: a patient who waits by the former one is out, and the new one leads in', {
  tag: '@prove',
}, async ({ page, signIn, api, browser, watch }) => {
  const { appointment } = await bookAppointmentIn(5, api);
  const guest = await openWithDevices(browser, watch);
  await goToWaitingRoom(guest, appointment.video_call_url);

  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await page.getByRole('button', { name: 'New link' }).click();
  const asked = page.getByRole('dialog', { name: 'Give this appointment a new link?' });
  await expect(asked.getByText('The link that the patient has stops working at once.')).toBeVisible();
  await expect(asked.getByText('The patient gets no message about it')).toBeVisible();
  await asked.getByRole('button', { name: 'Keep the link' }).click();
  await expect(page.getByRole('button', { name: 'New link' })).toBeFocused();
  expect(await api.call<AppointmentView>(`/appointments/${appointment.id}`)).toMatchObject({
    video_call_url: appointment.video_call_url,
  });

  watch.allow(/404/);
  await page.keyboard.press('Enter');
  await asked.getByRole('button', { name: 'Make a new link' }).click();
  const dialog = page.getByRole('dialog', { name: 'The new link' });
  await expect(dialog.getByText('the one before does not work any more')).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Copy video link' })).toBeVisible();
  const fresh = await dialog.locator('code').innerText();
  expect(fresh).not.toBe(appointment.video_call_url);
  expect(await api.call<AppointmentView>(`/appointments/${appointment.id}`)).toMatchObject({ video_call_url: fresh });
  await expectSound(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'New link' })).toBeFocused();
  const timeline = page.getByRole('region', { name: 'What happened' });
  await expect(timeline.getByText('The link of a visit was exchanged for another')).toBeVisible();

  const isShut = guest.getByText('This visit cannot be opened');
  await expect(isShut, 'the waiting patient sees it at once').toBeVisible();
  await guest.goto('about:blank');
  await guest.goto(appointment.video_call_url);
  await expect(isShut).toBeVisible();
  await expect(guest.getByText(/it was exchanged for a new one/)).toBeVisible();
  await guest.goto('about:blank');
  await goToWaitingRoom(guest, fresh);
  await api.cancelAppointment(appointment.id);
});

test('a canceled appointment has no link to replace', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const appointment = await api.book((await api.createPatient()).id);
  await api.cancelAppointment(appointment.id);
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText('It was canceled. No reason was given.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New link' })).toHaveCount(0);
  await expect(theCall(page)).toHaveCount(0);
});

test('an appointment’s page shows the participants of its call, their connection, and how it ended', {
  tag: '@prove',
}, async ({ page, signIn, api, browser, watch, sessionOf }) => {
  const { staff, guest, appointment } = await connectCall(await bookAppointmentIn(5, api), {
    browser,
    watch,
    sessionOf,
  });
  await expectBothMedia([guest, staff]);
  await signIn('practitioner');
  await expect(async () => {
    await page.goto(`/appointments/${appointment.id}`);
    await expect(theCall(page).getByText(/connected (directly|by a helper server)/)).toHaveCount(2, {
      timeout: 10_000,
    });
  }, 'both pages have reported their line').toPass({ timeout: 60_000 });
  await expect(theCall(page)).toContainText(/It began .*, and goes on\./);
  await expect(theCall(page).getByText(/still there/)).toHaveCount(2);

  await staff.getByRole('button', { name: 'Leave' }).click();
  await staff.getByRole('menuitem', { name: 'End the visit for both' }).click();
  await expect(theCall(page)).toContainText(/It began .*, and ended .*\. The clinic ended it\./);
  await expect(theCall(page).getByText(/still there/)).toHaveCount(0);
  const stays = theCall(page).getByRole('listitem');
  await expect(stays).toHaveCount(2);
  // A busy machine has a weak connection.
  await expect(stays.filter({ hasText: 'The patient' })).toContainText(
    /Good connection|Weak connection|Bad connection/,
  );
  await hangUp(browser, page.context());
  await expectSound(page);
});

/**
 * Moves the end into the past in the page's response: seats are taken during a visit, and no test waits for its end.
 */
const tellPast = (page: Page) =>
  page.route(/\/api\/trpc\/[^?]*appointments\.show(,|\?)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const { result } of [json].flat())
      if (result?.data?.visit) result.data.visit.to_date = new Date(Date.now() - 60_000).toISOString();
    await route.fulfill({ response, json });
  });

test('the page of a past appointment says which side never came', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  await signIn('practitioner');
  const [noPatient, noStaff] = [await bookAppointmentIn(-17, api), await bookAppointmentIn(-17, api)];
  const asStaff = async (verb: string, { appointment }: AppointmentNow) => {
    const data = { id: appointment.id };
    const response = await page.request.post(`/api/trpc/visits.${verb}`, { headers: PORTAL_HEADERS, data });
    expect(response.status()).toBe(200);
  };
  await asStaff('enterAsStaff', noPatient);
  const token = new URL(noStaff.appointment.video_call_url).hash.slice(1);
  const entered = await visitor.request.post('/api/links/visits.enter', { data: { token, hold: 'h'.repeat(43) } });
  expect(entered.status()).toBe(200);
  const { key } = await entered.json();

  await tellPast(page);
  await page.goto(`/appointments/${noPatient.appointment.id}`);
  await expect(theCall(page).getByText(/still there/)).toBeVisible();
  await expect(theCall(page), 'who is there may still be met').not.toContainText('did not come');
  await asStaff('endCall', noPatient);
  await page.reload();
  await expect(theCall(page)).toContainText('The clinic was there, the patient did not come.');
  await expectAccessible(page);

  const left = await visitor.request.post('/api/calls/leave', {
    headers: { authorization: `Bearer ${key}` },
    data: {},
  });
  expect(left.ok()).toBe(true);
  await page.goto(`/appointments/${noStaff.appointment.id}`);
  await expect(theCall(page)).toContainText('The patient waited, but no one from the clinic came.');
  await expectSound(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
