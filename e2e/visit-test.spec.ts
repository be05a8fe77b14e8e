import { openWithDevices, WITH_DEVICES } from './call.ts';
import { expectAccessibleAndFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();

const OUTCOME_TIMEOUT = { timeout: 30_000 };
/** The page of the device test, by the link of the visit. */
const testUrl = (url: string) => url.replace('/visit#', '/visit/test#');

test('a patient tests camera, microphone and connection before the day, and staff see the success', async ({
  browser,
  api,
  watch,
  page,
  signIn,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  const patient = await openWithDevices(browser, watch);
  await patient.goto(testUrl(appointment.video_call_url));
  await expect(patient.getByRole('heading', { level: 1, name: 'Will your video visit work?' })).toBeVisible();
  expect(patient.url()).not.toContain('#');
  await expectAccessibleAndFits(patient);
  await patient.getByRole('button', { name: 'Begin' }).click();
  const outcome = patient.getByRole('list', { name: 'How it went' });
  await expect(outcome.getByText('Your camera and microphone work')).toBeVisible(OUTCOME_TIMEOUT);
  await expect(outcome.getByText('Your connection is fast enough')).toBeVisible();
  await expect(patient.getByLabel('Your camera')).toBeVisible();
  await expect(patient.getByText(/sees how it went, and can help you/)).toBeVisible();
  await patient.getByRole('button', { name: 'Turn the camera off' }).click();
  await expect(patient.getByLabel('Your camera')).toBeHidden();

  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText('Everything worked')).toBeVisible();
  await api.cancelAppointment(appointment.id);
  await patient.context().close();
});

test('a blocked camera is explained by keyboard, and staff see it', { tag: '@prove' }, async ({
  visitor,
  api,
  page,
  signIn,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  await visitor.addInitScript(() => {
    const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = (constraints) =>
      constraints?.video ? Promise.reject(new DOMException('no', 'NotAllowedError')) : getUserMedia(constraints);
  });
  await visitor.goto(testUrl(appointment.video_call_url));
  const begin = visitor.getByRole('button', { name: 'Begin' });
  await begin.focus();
  await press(visitor, 'Enter', hidden(begin));
  await expect(visitor.getByText('Your browser is blocking your camera on this page')).toBeVisible(OUTCOME_TIMEOUT);
  await expect(visitor.getByRole('heading', { name: 'Something to put right' })).toBeVisible();
  await expect(visitor.getByText('Something needs your attention')).toBeAttached();
  await expectAccessibleAndFits(visitor);

  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText('camera blocked')).toBeVisible();
  await api.cancelAppointment(appointment.id);
  await visitor.reload();
  await expect(visitor.getByRole('heading', { level: 1, name: 'This appointment was canceled' })).toBeVisible();
});

test('the page of a video visit links to a plain explanation of what is stored about it', async ({ visitor, api }) => {
  const appointment = await api.book((await api.createPatient()).id);
  await visitor.goto(appointment.video_call_url);
  await visitor.getByRole('link', { name: 'Who sees and keeps what' }).click();
  await expect(visitor.getByRole('heading', { level: 1, name: 'Your video visit is between you two' })).toBeVisible();
  await expect(visitor.getByText('The visit is not recorded')).toBeVisible();
  await expectAccessibleAndFits(visitor);
  await visitor.goBack();
  await visitor.getByRole('link', { name: 'Try out your connection too' }).click();
  await expect(visitor.getByRole('heading', { level: 1, name: 'Will your video visit work?' })).toBeVisible();
  await api.cancelAppointment(appointment.id);
});

test('an admin sees what video visits lack', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('admin');
  await page.goto('/settings/integrations');
  const card = page.getByRole('region', { name: 'Video visits' });
  await expect(card.getByText(/Without TURN about one call in six fails/)).toBeVisible();
});
