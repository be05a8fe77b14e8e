import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { type AppointmentNow, bookAppointmentIn } from './appointment-now.ts';
import { closeCalls, connectCall, expectBothMedia, goToWaitingRoom, openWithDevices, WITH_DEVICES } from './call.ts';
import { expectAccessibleAndFits } from './fits.ts';
import { expect, test } from './fixtures.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

const callRegion = (page: Page) => page.getByRole('region', { name: 'The call', exact: true });

test('a new visit link removes a patient who waits with the former one, and opens the waiting room', {
  tag: '@prove',
}, async ({ page, signIn, api, browser, watch }) => {
  const { appointment } = await bookAppointmentIn(5, api);
  const guest = await openWithDevices(browser, watch);
  await goToWaitingRoom(guest, appointment.video_call_url);

  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await page.getByRole('button', { name: 'New link' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Give this appointment a new link?' });
  await expect(confirmation.getByText('The link that the patient has stops working at once.')).toBeVisible();
  await expect(confirmation.getByText('The patient gets no message about it')).toBeVisible();
  await confirmation.getByRole('button', { name: 'Keep the link' }).click();
  await expect(page.getByRole('button', { name: 'New link' })).toBeFocused();
  expect(await api.call<AppointmentView>(`/appointments/${appointment.id}`)).toMatchObject({
    video_call_url: appointment.video_call_url,
  });

  watch.allow(/404/);
  await page.keyboard.press('Enter');
  await confirmation.getByRole('button', { name: 'Make a new link' }).click();
  const dialog = page.getByRole('dialog', { name: 'The new link' });
  await expect(dialog.getByText('the old one does not work any more')).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Copy video link' })).toBeVisible();
  const newLink = await dialog.locator('code').innerText();
  expect(newLink).not.toBe(appointment.video_call_url);
  expect(await api.call<AppointmentView>(`/appointments/${appointment.id}`)).toMatchObject({ video_call_url: newLink });
  await expectAccessibleAndFits(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'New link' })).toBeFocused();
  const timeline = page.getByRole('region', { name: 'What happened' });
  await expect(timeline.getByText('The link to a video visit was replaced')).toBeVisible();

  const closedNotice = guest.getByText('This visit cannot be opened');
  await expect(closedNotice, 'the waiting patient sees it at once').toBeVisible();
  await guest.goto('about:blank');
  await guest.goto(appointment.video_call_url);
  await expect(closedNotice).toBeVisible();
  await expect(guest.getByText(/it was replaced by a new one/)).toBeVisible();
  await guest.goto('about:blank');
  await goToWaitingRoom(guest, newLink);
  await api.cancelAppointment(appointment.id);
});

test('a visit days ahead says when it can be joined, and a canceled one has no link to replace', {
  tag: '@prove',
}, async ({ page, signIn, api, watch }) => {
  const appointment = await api.book((await api.createPatient()).id);
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}/call`);
  const early = page.getByRole('heading', { name: 'This visit cannot be joined yet' });
  await expect(early).toBeVisible();
  watch.allow(/422/);
  await page.getByRole('button', { name: 'Join the visit' }).click();
  await expect(early).toBeFocused();

  await api.cancelAppointment(appointment.id);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This appointment was canceled' })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText('It was canceled. No reason was given.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New link' })).toHaveCount(0);
  await expect(callRegion(page)).toHaveCount(0);
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
    await expect(callRegion(page).getByText(/connected (directly|by a helper server)/)).toHaveCount(2, {
      timeout: 10_000,
    });
  }, 'both pages have reported their line').toPass({ timeout: 60_000 });
  await expect(callRegion(page)).toContainText(/It began .*, and goes on\./);
  await expect(callRegion(page).getByText(/still there/)).toHaveCount(2);

  await staff.getByRole('button', { name: 'Leave' }).click();
  await staff.getByRole('menuitem', { name: 'End the visit for both' }).click();
  await expect(callRegion(page)).toContainText(/It began .*, and ended .*\. The clinic ended it\./);
  await expect(callRegion(page).getByText(/still there/)).toHaveCount(0);
  const participants = callRegion(page).getByRole('listitem');
  await expect(participants).toHaveCount(2);
  // A busy machine has a weak connection.
  await expect(participants.filter({ hasText: 'The patient' })).toContainText(
    /Good connection|Weak connection|Bad connection/,
  );
  await closeCalls(browser, page.context());
  await expectAccessibleAndFits(page);
});

/**
 * Moves the end into the past in the page's response: seats are taken during a visit, and no test waits for its end.
 */
const stubPastEnd = (page: Page) =>
  page.route(/\/api\/trpc\/[^?]*appointments\.show(,|\?)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const { result } of [json].flat())
      if (result?.data?.visit) result.data.visit.to_date = new Date(Date.now() - 60_000).toISOString();
    await route.fulfill({ response, json });
  });

test('the page of a past appointment says which side did not join', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  await signIn('practitioner');
  const [withoutPatient, withoutStaff] = [await bookAppointmentIn(-17, api), await bookAppointmentIn(-17, api)];
  const callProcedure = async (procedure: string, { appointment }: AppointmentNow) => {
    const data = { id: appointment.id };
    const response = await page.request.post(`/api/trpc/visits.${procedure}`, { headers: PORTAL_HEADERS, data });
    expect(response.status()).toBe(200);
  };
  await callProcedure('enterAsStaff', withoutPatient);
  const token = new URL(withoutStaff.appointment.video_call_url).hash.slice(1);
  const enterResponse = await visitor.request.post('/api/links/visits.enter', {
    data: { token, hold: 'h'.repeat(43) },
  });
  expect(enterResponse.status()).toBe(200);
  const { key } = await enterResponse.json();

  await stubPastEnd(page);
  await page.goto(`/appointments/${withoutPatient.appointment.id}`);
  await expect(callRegion(page).getByText(/still there/)).toBeVisible();
  await expect(callRegion(page), 'the call is still open').not.toContainText('did not come');
  await callProcedure('endCall', withoutPatient);
  await page.reload();
  await expect(callRegion(page)).toContainText('The clinic was there, the patient did not come.');
  await expectAccessible(page);

  const leaveResponse = await visitor.request.post('/api/calls/leave', {
    headers: { authorization: `Bearer ${key}` },
    data: {},
  });
  expect(leaveResponse.ok()).toBe(true);
  await page.goto(`/appointments/${withoutStaff.appointment.id}`);
  await expect(callRegion(page)).toContainText('The patient waited, but no one from the clinic came.');
  await expectAccessibleAndFits(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
