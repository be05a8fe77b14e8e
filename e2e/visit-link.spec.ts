import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { stubVisit } from './stub-visit.ts';

/** Fakes a camera with a plain picture and a silent microphone, for a machine without devices. */
const fakeDevices = (page: Page) =>
  page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      const picture = document.createElement('canvas');
      picture.getContext('2d')?.fillRect(0, 0, 16, 9);
      const [sound] = new AudioContext().createMediaStreamDestination().stream.getTracks();
      const stream = picture.captureStream(5);
      if (sound) stream.addTrack(sound);
      return stream;
    };
  });

test('a patient opens the link of a video visit days ahead, and reads the time in both zones', async ({
  browser,
  api,
  watch,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' });
  watch.follow(context);
  const page = await context.newPage();
  await page.goto(appointment.video_call_url);
  await expect(page.getByRole('heading', { level: 1, name: `Your visit with ${appointment.calendar}` })).toBeVisible();
  await expect(page.getByText('Tokyo time')).toBeVisible();
  await expect(page.getByText(/At the clinic: .*(New York|Chicago) time/)).toBeVisible();
  await expect(page.getByText(/The waiting room opens at .*, a quarter of an hour before/)).toBeVisible();
  await expectAccessible(page);

  await api.cancelAppointment(appointment.id);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'This appointment was canceled' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try them out' })).toBeHidden();
  await context.close();
});

test('the room opens a quarter of an hour before, and camera and microphone can be tested', { tag: '@prove' }, async ({
  visitor,
  api,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  await stubVisit(visitor, ({ opens_at }) => ({ now: new Date(Date.parse(opens_at) - 1500).toISOString() }));
  await fakeDevices(visitor);
  await visitor.goto(appointment.video_call_url);
  await expect(visitor.getByRole('button', { name: 'Go to the waiting room' })).toBeVisible();
  await visitor.getByRole('button', { name: 'Try them out' }).click();
  await expect(visitor.getByLabel('Your camera')).toBeVisible();
  await expectAccessible(visitor);
  await visitor.getByRole('button', { name: 'Turn the camera off' }).click();
  await expect(visitor.getByLabel('Your camera')).toBeHidden();
  await api.cancelAppointment(appointment.id);
});

test('when the clinic requires a sign-in, the plain link asks for it, and the link of the app enters', async ({
  visitor,
  api,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  await stubVisit(visitor, ({ opens_at }) => ({ now: opens_at, asks: ['sign_in'] }));
  await visitor.goto(appointment.video_call_url);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Please sign in first' })).toBeFocused();
  await expect(visitor.getByRole('button', { name: 'Go to the waiting room' })).toBeHidden();
  await expectAccessible(visitor);
  await visitor.goto(appointment.video_call_url.replace('#', '#1764000000.signed~'));
  await expect(visitor.getByRole('button', { name: 'Go to the waiting room' })).toBeVisible();
  await api.cancelAppointment(appointment.id);
});

test('an unavailable camera is explained, and so is an unknown link', async ({ visitor, api, watch }) => {
  const appointment = await api.book((await api.createPatient()).id);
  await visitor.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
  });
  await visitor.goto(appointment.video_call_url);
  await visitor.getByRole('button', { name: 'Try them out' }).click();
  await expect(visitor.getByText(/does not let this page use the camera/)).toBeVisible();
  await api.cancelAppointment(appointment.id);

  watch.allow(/404/);
  await visitor.goto(`${appointment.video_call_url}x`);
  await expect(visitor.getByText('This visit cannot be opened')).toBeVisible();
  await expect(visitor.getByText('Open the whole link from your message')).toBeVisible();
  await expectAccessible(visitor);
});
