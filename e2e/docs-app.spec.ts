import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { TEST_CODE, TEST_NUMBERS } from '#contract/test-addresses.ts';
import { compileErrors } from '../src/dev/testing/guides/assemble-app.ts';
import type { Api } from './api.ts';
import { type DocsApp, snippetWith, startDocsApp } from './docs-app.ts';
import { expect, test } from './fixtures.ts';
import { awaitCode, awaitMail, temporaryPasswordIn } from './inbox.ts';
import { allowInvitations } from './invitations.ts';
import { newEmail, newPhone, PASSWORD, patientsWithPhone } from './playground.ts';
import { authenticate, CARDS, payWith } from './stripe.ts';

const NEW_PASSWORD = 'eight louder rivers run';
/** Commands that keep running, are run elsewhere, or created the folder. */
const NOT_RUN_HERE = [
  /^npx esbuild/m,
  /make-endpoint|receive-webhooks|follow-events/,
  /^npx --no carelane/m,
  /^npm /m,
  /"\$STRIPE_/,
];

test.describe.configure({ mode: 'serial' });

let app: DocsApp;
let receiver: ReturnType<DocsApp['begin']>;
test.beforeAll(async ({ api }) => {
  test.setTimeout(180_000);
  app = await startDocsApp(api);
});
test.afterAll(() => app?.stop());

const status = (page: Page) => page.getByRole('status');

async function requestCode(page: Page, phone: string): Promise<void> {
  await page.goto(`${app.url}/sign-in-by-phone.html`);
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Mobile number').fill(phone);
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await expect(status(page)).toHaveText('We sent you a code.');
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(status(page)).toHaveText('Signed in as Ada.');
}

/**
 * Signs up a new patient with a number whose code is known.
 * @returns the patient's id
 */
async function signUpForTests(page: Page, api: Api): Promise<string> {
  const { from, to } = TEST_NUMBERS;
  for (let number = Number(from); number <= Number(to); number++) {
    const phone = `+${number}`;
    if ((await patientsWithPhone(api, phone)).length > 0) continue;
    await requestCode(page, phone);
    await enterCode(page, TEST_CODE);
    const [patient] = await patientsWithPhone(api, phone);
    return patient!.id;
  }
  throw new Error('no test number is left');
}

test('every program of the guides passes a strict compiler', { tag: '@prove' }, async () => {
  test.slow();
  expect(await compileErrors(app.folder)).toBe('');
});

test('every shell command runs as written, and prints what the guide says', { tag: '@prove' }, async () => {
  test.slow();
  const lines = app.guides.flatMap(({ fences }) => fences.filter(({ language, file }) => language === 'sh' && !file));
  const runnable = lines.filter(({ code }) => !NOT_RUN_HERE.some((pattern) => pattern.test(code)));
  expect(runnable.length).toBeGreaterThanOrEqual(8);
  const outputs = await Promise.all(runnable.map(({ code }) => app.run(app.filled(code))));
  const all = outputs.join('\n');
  for (const pattern of [
    /made Ada Example: [\w-]{36}/,
    /\d+ active patients/,
    /Ben has 0 upcoming appointments/,
    /one patient$/m,
  ])
    expect(all).toMatch(pattern);
  expect(all).toMatch(/^422 invalid_parameter, request /m);
  // Responses to curl contain no error except the one that the guide shows.
  expect(all).not.toMatch(/"errors?":/);
});

test('the commands of the reference’s pages run as written, page by page', { tag: '@prove' }, async ({ api }) => {
  const { email } = await api.call<{ email: string }>('/patients', { first_name: 'Ada', email: newEmail() });
  for (const { slug, fences } of app.pages) {
    const lines = fences.flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
    const commands = app.filled(lines.join('\n')).replace('ada@example.test', email);
    const output = await app.run(`${commands}\necho "tokens: \${TOKEN:-} \${PATIENT_TOKEN:-}"`);
    expect(output, slug).not.toMatch(/"errors?":|tokens: .*null/);
    if (slug === 'conventions') expect(output).toMatch(/^HTTP\/1.1 200/);
  }
});

test('a program names settings that are missing, wrong, revoked or of another environment', {
  tag: '@prove',
}, async () => {
  test.slow();
  const firstCall = snippetWith(app.guides, 'server/first-call.ts').trim();
  const start = (token: string) =>
    `npx tsx -e "import('./app/snippets/going-live-0.ts').then(({ start }) => start('${token}'))"`;
  const failures: [string, RegExp][] = [
    [firstCall.replace('--env-file=.env ', ''), /CARELANE_URL is not set: see \.env/],
    [`CARELANE_CLIENT_SECRET=cs_revoked ${firstCall}`, /code: 'invalid_client'/],
    [`CARELANE_URL=http://localhost:9/api/v1 ${firstCall}`, /code: 'network'/],
    [`CARELANE_URL='{{base_url}}' ${firstCall}`, /baseUrl is the address of the API/],
    [start('{{configuration}}'), /code: 'malformed_configuration'/],
    [start(app.filled('{{configuration}}')), /code: 'wrong_environment'/],
    [start(app.filled('{{configuration_by_password}}')), /code: 'wrong_(environment|flow)'/],
    [snippetWith(app.guides, 'server/receive-webhooks.ts'), /CARELANE_WEBHOOK_SECRET is not set: see \.env/],
  ];
  const errors = await Promise.all(
    failures.map(([lines]) => app.run(lines).catch((failure) => String(failure.stderr))),
  );
  for (const [index, [, pattern]] of failures.entries()) expect(errors[index]).toMatch(pattern);
});

test('the webhook receiver listens, and a reader of the feed starts at its beginning', {
  tag: '@prove',
}, async () => {
  await app.run(snippetWith(app.guides, 'server/make-endpoint.ts'));
  receiver = app.begin(snippetWith(app.guides, 'server/receive-webhooks.ts'));
  await expect.poll(receiver.output).toContain('waiting for webhooks');
  const follower = app.begin(snippetWith(app.guides, 'server/follow-events.ts'));
  await expect.poll(follower.output, { timeout: 30_000 }).toMatch(/^\d+ Patient Created [\w-]{36}$/m);
  await follower.stop();
});

test('the guide’s command builds and serves the pages', { tag: '@prove' }, async () => {
  test.slow();
  // The second command builds the React pages as well.
  const lines = app.guides.flatMap(({ fences }) => fences.filter(({ code }) => code.startsWith('npx esbuild')));
  expect(lines).toHaveLength(2);
  for (const [index, { code }] of lines.entries()) {
    const serving = app.begin(code);
    await expect.poll(serving.output, { timeout: 30_000 }).toContain('Local');
    if (index === 0) await serving.stop();
  }
});

test('a page that is opened before the sign-in says so', { tag: '@prove' }, async ({ page, watch }) => {
  watch.allow(/No user is signed in/);
  for (const name of ['booking', 'paying', 'card-first', 'paying-in-react']) {
    await page.goto(`${app.url}/${name}.html`);
    await expect(status(page), name).toHaveText('No user is signed in. (not_signed_in)');
  }
});

test('a page whose configuration token was not filled in says so, and sends no form', { tag: '@prove' }, async ({
  page,
  watch,
}) => {
  watch.allow(/This is not a configuration token/);
  await page.route('**/built/*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/care_sandbox_\w+/g, 'care_sandbox_…') });
  });
  for (const name of [
    'booking',
    'paying',
    'card-first',
    'paying-in-react',
    'sign-in-by-phone',
    'sign-in-by-password',
  ]) {
    await page.goto(`${app.url}/${name}.html`);
    await expect(status(page), name).toHaveText(/This is not a configuration token.* \(malformed_configuration\)$/);
  }
  await page.getByLabel('Email address').fill('ada@example.test');
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`${app.url}/sign-in-by-password.html`);
});

test('by phone: signs up and in over a reload, books, loses a slot, moves and cancels, and the receiver gets the events', {
  tag: '@prove',
}, async ({ page, api, watch }) => {
  test.slow();
  const phone = await newPhone(api);
  const since = new Date().toISOString();
  await requestCode(page, phone);
  await page.reload();
  await page.getByRole('button', { name: 'Send another code' }).click();
  await expect(status(page)).toHaveText(/^You can request another code in \d+ seconds?\.$/);
  await enterCode(page, await awaitCode(phone, since));
  const [patient] = await patientsWithPhone(api, phone);

  // Slots that no client has requested yet may take longer: the client retries automatically.
  watch.tolerate(/503.*\/availability\?|\/availability\?.*503/);
  await page.goto(`${app.url}/booking.html`);
  const times = page.getByLabel('Time');
  await expect(times.getByRole('option').nth(3)).toBeAttached();
  await page.getByLabel('Appointment type').selectOption({ label: 'Follow-up visit' });
  await expect(times.getByRole('option').nth(3)).toBeAttached();
  const options = await times
    .getByRole('option')
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  const [calendar] = options.at(-1)!.split(' ');
  const [first, second, third] = options.filter((value) => value.startsWith(`${calendar} `)).reverse();

  watch.allow(/409/);
  await times.selectOption(first!);
  const [, from_date] = first!.split(' ');
  const other = await api.createPatient('Ben');
  const type = Number(await page.getByLabel('Appointment type').inputValue());
  const input = { patient_id: other.id, appointment_type_id: type, calendar_id: Number(calendar), from_date };
  const otherAppointment = await api.call<AppointmentView>('/appointments', input);
  await page.getByRole('button', { name: 'Book' }).click();
  await expect(status(page)).toHaveText(/^This slot was just taken\. Still free: .*day, /);

  await times.selectOption(second!);
  await page.getByRole('button', { name: 'Book' }).click();
  await expect(status(page)).toHaveText(/^Booked for .*day, /);
  const appointments = page.getByRole('listitem');
  await expect(appointments).toHaveCount(1);
  const [booked] = await api.appointmentsOf(patient!.id);
  expect(Date.parse(booked!.from_date)).toBe(Date.parse(second!.split(' ')[1]!));
  await expect(appointments.getByRole('link', { name: 'Join' })).toHaveAttribute('href', booked!.video_call_url);

  await times.selectOption(third!);
  await page.getByRole('button', { name: 'Reschedule to the chosen time' }).click();
  await expect(status(page)).toHaveText(/^Rescheduled to .*day, /);
  const [rescheduled] = await api.appointmentsOf(patient!.id);
  expect(rescheduled).toMatchObject({ id: booked!.id, video_call_url: booked!.video_call_url });
  expect(Date.parse(rescheduled!.from_date)).toBe(Date.parse(third!.split(' ')[1]!));

  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(status(page)).toHaveText('Canceled.');
  await expect(appointments).toHaveCount(0);
  await api.cancelAppointment(otherAppointment.id);
  for (const topic of ['scheduled', 'rescheduled', 'canceled'])
    await expect.poll(receiver.output, { timeout: 30_000 }).toContain(`appointment.${topic} ${booked!.id}`);
});

test('by password: signs up, confirms, signs in, and replaces a forgotten password', { tag: '@prove' }, async ({
  page,
  watch,
}) => {
  test.slow();
  watch.allow(/401/);
  const email = newEmail();
  await page.goto(`${app.url}/sign-in-by-password.html`);
  const account = page.locator('#account');
  await account.getByLabel('Email address').fill(email);
  await account.getByLabel('Password').fill(PASSWORD);
  let since = new Date().toISOString();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(status(page)).toHaveText('We emailed you a code.');
  await page
    .locator('#code')
    .getByLabel('Code')
    .fill(await awaitCode(email, since));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(status(page)).toHaveText(`Signed in as ${email}.`);

  since = new Date().toISOString();
  await page.getByRole('button', { name: 'Forgotten password' }).click();
  const reset = page.locator('#reset');
  await expect(reset).toBeVisible();
  await reset.getByLabel('Code').fill(await awaitCode(email, since));
  await reset.getByLabel('New password').fill(NEW_PASSWORD);
  await reset.getByRole('button', { name: 'Set password' }).click();
  await expect(status(page)).toHaveText('Your password is set. Sign in with it.');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(status(page)).toHaveText(/\(invalid_credentials\)$/);
  await account.getByLabel('Password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(status(page)).toHaveText(`Signed in as ${email}.`);
});

test('by password: a patient who has to replace the password does, and is signed in by it', { tag: '@prove' }, async ({
  page,
  visitor,
  api,
  signIn,
}) => {
  await signIn('admin');
  await allowInvitations(page);
  const email = newEmail();
  await api.call('/patients/invite', { email });
  await visitor.goto(`${app.url}/sign-in-by-password.html`);
  const account = visitor.locator('#account');
  await account.getByLabel('Email address').fill(email);
  await account.getByLabel('Password').fill(temporaryPasswordIn(await awaitMail(email)));
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(status(visitor)).toHaveText('Choose another password.');
  await visitor.locator('#replace').getByLabel('New password').fill(NEW_PASSWORD);
  await visitor.getByRole('button', { name: 'Replace password' }).click();
  await expect(status(visitor)).toHaveText(`Signed in as ${email}.`);
});

test('a declined card is followed by one that requires authentication, and the plan is paid', {
  tag: '@prove',
}, async ({ page, api, watch }) => {
  test.slow();
  watch.allow(/402/);
  const patient = await signUpForTests(page, api);
  await page.goto(`${app.url}/paying.html`);
  await page.getByLabel('Plan').selectOption({ label: 'Essential care, 49 USD' });
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await payWith(page, CARDS.declined, /^Pay$/);
  await expect(status(page)).toHaveText('Your card was declined.');
  await payWith(page, CARDS.authenticates, /^Pay$/);
  await authenticate(page);
  await expect(status(page)).toHaveText('Essential care: active');
  const [subscription] = await api.call<SubscriptionView[]>(`/subscriptions?patient_id=${patient}`);
  expect(subscription).toMatchObject({ status: 'active', next_action: 'none' });
  await expect.poll(receiver.output, { timeout: 30_000 }).toContain(`subscription.activated ${subscription!.id}`);

  // As a bank's page redirects back, and as a patient returns to see the subscription.
  await page.goto(`${app.url}/paying.html?subscription=${subscription!.id}&redirect_status=succeeded`);
  await expect(status(page)).toHaveText('Essential care: active');
  watch.allow(/409/);
  await page.goto(`${app.url}/paying.html`);
  await page.getByLabel('Plan').selectOption({ label: 'Essential care, 49 USD' });
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await expect(status(page)).toHaveText('Essential care: active');
});

test('a trial begins with a card that is saved afterwards, and with one that was saved before', {
  tag: '@prove',
}, async ({ page, visitor, api, watch }) => {
  test.slow();
  await signUpForTests(page, api);
  // The page is reloaded before the card is typed: the trial that was started continues.
  watch.allow(/409/);
  for (let time = 0; time < 2; time++) {
    await page.goto(`${app.url}/paying.html`);
    await page.getByLabel('Plan').selectOption({ label: 'Complete care, 99 USD' });
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await expect(page.getByRole('button', { name: 'Save card' })).toBeVisible();
  }
  await payWith(page, CARDS.good, /^Save card$/);
  await expect(status(page)).toHaveText('Complete care: trialing');

  const patient = await signUpForTests(visitor, api);
  await visitor.goto(`${app.url}/card-first.html`);
  await payWith(visitor, CARDS.good, /^Save card$/);
  await expect(status(visitor)).toHaveText('Complete care: trialing');
  const [subscription] = await api.call<SubscriptionView[]>(`/subscriptions?patient_id=${patient}`);
  expect(subscription).toMatchObject({ status: 'trialing', next_action: 'none' });
});

test('the React page takes payments as well', { tag: '@prove' }, async ({ page, api }) => {
  test.slow();
  await signUpForTests(page, api);
  await page.goto(`${app.url}/paying-in-react.html`);
  await page.getByRole('button', { name: 'Essential care', exact: true }).click();
  await payWith(page, CARDS.good, /^Pay$/);
  await expect(status(page)).toHaveText('Essential care: active');
});
