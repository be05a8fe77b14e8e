import type { Locator, Page } from '@playwright/test';
import { ACCOUNT_FORMS, TEAM_FORMS } from './account-forms.ts';
import { type Api, PORTAL_HEADERS, patientName, randomSuffix } from './api.ts';
import { readCard } from './card.ts';
import { CLINIC_FORMS } from './clinic-forms.ts';
import { createSubscription } from './create-subscription.ts';
import { expect, test } from './fixtures.ts';
import { dialogBehind, type FormCase, LONG, regionOn } from './form-case.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { NOTE_FORMS } from './note-forms.ts';
import { PLAN_FORMS } from './plan-forms.ts';
import { signUpByPhone } from './playground.ts';
import { proveUnless } from './prove.ts';
import { VISIT_CHECK_FORM } from './stub-visit.ts';
import { TASK_FORMS } from './task-forms.ts';
import { inviteColleague } from './team.ts';
import { createUnknownSubscription, createUnmatchedBooking } from './unknown-objects.ts';

/** Forms that the gate fills in: each kind of field and of error once. */
const IN_GATE =
  /^(team\/team-dialogs|patients\/patient-dialog|credentials\/add-origin|clinic\/clinic-form|account\/account-page|subscriptions\/subscribe-dialog)\.tsx(: (password|invitation))?$/;
/** Default messages of libraries, and texts that are meant for programs. */
const TECHNICAL_TEXT =
  /Too (small|big)|expected |received|Invalid |undefined|\bnull\b|NaN|Idempotency|[a-z]_[a-z]|\b(GET|POST|JSON|NUL|HTTP)\b|[{}<>=]|Please (fill|include|enter)/;
const DETAIL = 'Send "some_field" with the same Idempotency-Key again.';
const USER_MESSAGE = 'The clinic’s records are closed at the moment. Try again in an hour.';

const chooseFirstPatient: NonNullable<FormCase['choose']> = async (form, page) => {
  await form.getByRole('combobox', { name: 'Patient' }).click();
  await page.getByRole('option').first().click();
};
const STAFF_FORMS: FormCase[] = [
  ...TEAM_FORMS,
  {
    file: 'patients/patient-dialog.tsx',
    open: dialogBehind('/patients', 'Add patient'),
    submit: 'Add patient',
    invalid: {
      'First name': LONG,
      'Last name': LONG,
      Email: 'no-email',
      Phone: '12',
      'Chart number': LONG,
    },
    valid: { 'First name': 'Maple', 'Last name': 'Example' },
    call: 'patients.create',
  },
  {
    file: 'message-choices/note-choice.tsx',
    open: async (page, api) =>
      dialogBehind(`/patients/${(await api.createPatient()).id}`, 'No more reminders by email')(page),
    submit: 'No more reminders',
    valid: { 'What did they say?': 'Asked at the front desk' },
    call: 'messageChoices.note',
  },
  {
    file: 'credentials/application-dialog.tsx',
    open: dialogBehind('/settings/credentials', 'Create application'),
    submit: 'Create application',
    invalid: { Name: LONG },
    valid: { Name: 'Server' },
    choose: (form) => form.getByRole('checkbox').first().check(),
    call: 'applications.create',
  },
  {
    file: 'credentials/add-origin.tsx',
    open: regionOn('/settings/credentials', 'Allowed origins'),
    submit: 'Add',
    invalid: { Website: 'not a website' },
    valid: { Website: 'https://shop.example.test' },
    call: 'applications.setAllowedOrigins',
  },
  {
    file: 'credentials/app-addresses.tsx',
    open: regionOn('/settings/credentials', 'Pages of your app'),
    submit: 'Save pages',
    mayBeEmpty: true,
    invalid: { Invitations: 'no-url', 'Forgotten passwords': `https://${LONG}`, 'New accounts': 'ftp://x' },
    valid: { Invitations: 'https://app.example.test/join' },
    call: 'applications.setAppAddresses',
  },
  {
    file: 'integrations/connect-acuity-dialog.tsx',
    open: dialogBehind('/settings/integrations', 'Change the connection'),
    submit: 'Connect',
    invalid: { 'User ID': LONG, 'API key': LONG },
    valid: { 'User ID': '12345', 'API key': 'a-key' },
    call: 'integrations.connectAcuity',
  },
  {
    file: 'integrations/integrations-page.tsx',
    open: regionOn('/settings/integrations', 'Rules for subscriptions'),
    submit: 'Save rules',
    mayBeEmpty: true,
    invalid: { 'Days of grace': 'a week' },
    valid: { 'Days of grace': '7' },
    call: 'integrations.updateStripe',
  },
  {
    file: 'patients/attach-dialog.tsx: subscription',
    open: async (page, api) => {
      await api.createPatient();
      const id = await createUnknownSubscription();
      await page.goto('/settings/integrations');
      await page.getByRole('button', { name: `Attach Essential care, ${id}, to a patient` }).click();
      return page.getByRole('dialog');
    },
    submit: 'Attach',
    valid: {},
    choose: chooseFirstPatient,
    call: 'subscriptions.attach',
  },
  {
    file: 'patients/attach-dialog.tsx: appointment',
    open: async (page, api) => {
      await api.createPatient();
      const lastName = await createUnmatchedBooking();
      await page.goto('/appointments/unmatched');
      await page.getByRole('button', { name: `Actions for the booking for Robin ${lastName}` }).click();
      await page.getByRole('menuitem', { name: 'Attach to a patient' }).click();
      return page.getByRole('dialog');
    },
    submit: 'Attach',
    valid: {},
    choose: chooseFirstPatient,
    call: 'appointments.attachUnmatched',
  },
  ...CLINIC_FORMS,
  {
    file: 'message-settings/sending-form.tsx',
    open: regionOn('/settings/messages', 'What patients are sent'),
    submit: 'Save messages',
    mayBeEmpty: true,
    valid: {},
    choose: (form) => form.getByRole('checkbox', { name: 'Remind by text' }).check(),
    call: 'messageSettings.update',
  },
  {
    file: 'message-settings/template-form.tsx',
    open: regionOn('/settings/messages', 'Words'),
    submit: 'Save wording',
    mayBeEmpty: true,
    invalid: { 'Subject of the email': LONG, 'Text message': LONG },
    valid: { 'Subject of the email': 'Your appointment on {date}', 'Text message': '{clinic}: {date}, {time}' },
    call: 'messageSettings.update',
  },
  {
    file: 'message-settings/messages-page.tsx',
    open: async (page) => {
      const card = await regionOn('/settings/messages', 'Words')(page);
      await card.getByRole('button', { name: 'Short phrases' }).click();
      return card;
    },
    submit: 'Save wording',
    mayBeEmpty: true,
    invalid: { 'The appointment in the patient’s calendar': LONG },
    valid: { 'The appointment in the patient’s calendar': 'Your appointment' },
    call: 'messageSettings.update',
  },
  ...NOTE_FORMS,
  ...PLAN_FORMS,
  ...TASK_FORMS,
  ...ACCOUNT_FORMS,
  {
    file: 'webhooks/receiver-dialog.tsx',
    open: dialogBehind('/settings/webhooks', 'Add receiver'),
    submit: 'Add receiver',
    invalid: { Address: 'no-url', Description: 'x'.repeat(501) },
    valid: { Address: 'https://hooks.example.test/carelane' },
    choose: (form) => form.getByRole('radio', { name: /^Everything/ }).click(),
    call: 'webhooks.create',
  },
  {
    file: 'webhooks/replay-dialog.tsx',
    open: async (page, api) => {
      const { id } = await api.call<{ id: string }>('/webhook_endpoints', {
        url: 'http://127.0.0.1:9/hooks',
        event_types: ['integration'],
        enabled: false,
      });
      return dialogBehind(`/settings/webhooks/${id}`, 'Send again')(page);
    },
    submit: 'Send again',
    mayBeEmpty: true,
    invalid: { 'What happened since': '2999-01-01T00:00' },
    valid: { 'What happened since': '2026-01-01T00:00' },
    call: 'webhooks.replay',
  },
  {
    file: 'subscriptions/subscribe-dialog.tsx',
    open: async (page, api) => {
      const patient = await api.createPatient();
      await page.goto(`/patients/${patient.id}`);
      await page.getByRole('button', { name: 'New subscription' }).click();
      return page.getByRole('dialog', { name: `New subscription for ${patientName(patient)}` });
    },
    submit: 'Create subscription',
    valid: { 'Promotion code': 'NO-SUCH-CODE' },
    choose: (form) =>
      form
        .getByRole('radio', { name: /Essential care/ })
        .first()
        .check(),
    call: 'subscriptions.create',
  },
  {
    file: 'subscriptions/change-plan-dialog.tsx',
    open: async (page, api) =>
      dialogBehind(`/subscriptions/${(await createSubscription(api, 'paid')).id}`, 'Change plan')(page),
    submit: 'Change plan',
    valid: {},
    choose: (form) => form.getByRole('radio').first().click(),
    call: 'subscriptions.update',
  },
  {
    file: 'subscriptions/trial-dialog.tsx',
    open: async (page, api) => {
      const { id } = await createSubscription(api, 'trial');
      const menu = await dialogBehind(`/subscriptions/${id}`, 'More actions')(page);
      await page.getByRole('menuitem', { name: 'Extend or end the trial' }).click();
      return menu;
    },
    submit: 'Save the new end',
    mayBeEmpty: true,
    invalid: { 'The trial ends on': '' },
    valid: { 'The trial ends on': new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10) },
    call: 'subscriptions.update',
  },
  {
    file: 'subscriptions/refund-dialog.tsx',
    open: async (page, api) => {
      const { id } = await createSubscription(api, 'paid');
      const menu = await dialogBehind(`/subscriptions/${id}`, 'Invoice')(page);
      await page.getByRole('menuitem', { name: 'Refund' }).click();
      return menu;
    },
    submit: 'Refund',
    mayBeEmpty: true,
    invalid: { 'Amount in USD': '0' },
    valid: { 'Amount in USD': '1.00' },
    call: 'payments.refund',
  },
];

const PUBLIC_FORMS: FormCase[] = [
  { file: 'visit/patient-call.tsx', ...VISIT_CHECK_FORM },
  {
    file: 'sign-in/forgot-password-form.tsx',
    open: async (page) => {
      await page.goto('/forgot-password');
      return page.getByRole('main');
    },
    submit: 'Send me a link',
    invalid: { Email: 'no-email' },
    valid: { Email: 'unknown@riverbend.example.test' },
    call: 'staffLinks.requestReset',
  },
  {
    file: 'invitation/invitation.tsx',
    open: async (page) => {
      const tokens = new URLSearchParams(new URL(readCard().playground_url).hash.slice(1));
      await page.goto(`/invitation#${tokens.get('credentials')}`);
      await page.getByLabel('Temporary password').waitFor();
      return page.getByRole('main');
    },
    submit: 'Set password',
    invalid: { 'Email address': 'no-email', 'Temporary password': 'x', 'New password': 'short' },
    valid: {
      'Email address': 'unknown@patients.example.test',
      'Temporary password': 'abcd-abcd-abcd-abcd',
      'New password': 'eight calm lakes rest',
    },
    call: 'credentials/srp/start',
  },
];

/** All messages of the form, each of which must be a sentence for people. */
async function expectMessages(form: Locator, min: number): Promise<string[]> {
  const messages = form.locator('[id$="-error"], [role=alert]');
  await expect.poll(() => messages.count()).toBeGreaterThanOrEqual(min);
  const texts = await messages.allInnerTexts();
  for (const sentence of texts) {
    expect(sentence.trim()).toMatch(/^\p{Lu}.*\p{L}{2}/su);
    expect(sentence).not.toMatch(TECHNICAL_TEXT);
  }
  return texts;
}

async function rejectCall(page: Page, call: string): Promise<void> {
  const errors = [{ status: '422', code: 'conflict', title: 'Conflict', detail: DETAIL, people: USER_MESSAGE }];
  await page.route(`**/*${call}*`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const data = { code: 'CONFLICT', httpStatus: 409, errors, request_id: 'none' };
    const isTrpc = route.request().url().includes('/api/trpc/');
    const json = isTrpc ? [{ error: { message: DETAIL, code: -32009, data } }] : { errors, request_id: 'none' };
    await route.fulfill({ status: 409, json });
  });
}

/** Matches a label with or without its "(optional)". */
const labelPattern = (label: string) => new RegExp(`^${label.replaceAll('?', '\\?')}( \\(optional\\))?$`);

async function testForm(page: Page, api: Api, form: FormCase): Promise<void> {
  const box = await form.open(page, api);
  const submit = box.getByRole('button', { name: form.submit, exact: true });
  const fill = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await box.getByLabel(labelPattern(label)).fill(value);
  };
  await submit.waitFor();
  if (!form.mayBeEmpty) {
    await submit.click();
    await expectMessages(box, 1);
  }
  if (form.invalid) {
    await fill(form.invalid);
    await submit.click();
    await expectMessages(box, 1);
  }
  await fill({ ...Object.fromEntries(Object.keys(form.invalid ?? {}).map((label) => [label, ''])), ...form.valid });
  await form.choose?.(box, page);
  await rejectCall(page, form.call);
  await submit.click();
  const messages = await expectMessages(box, 1);
  // The page has messages of its own for the SDK's errors.
  if (!form.call.includes('/')) expect(messages.join('\n')).toContain(USER_MESSAGE);
  await expect(page.locator('body')).not.toContainText('Idempotency-Key');
}

test.describe('every form explains errors in plain language', () => {
  // Rejections are responses of 4xx, which the console logs.
  test.beforeEach(({ watch }) => watch.allow(/4\d\d/));

  for (const form of STAFF_FORMS)
    test(form.file, proveUnless(IN_GATE.test(form.file)), async ({ page, signIn, api }) => {
      await signIn('admin');
      await testForm(page, api, form);
    });

  for (const form of PUBLIC_FORMS)
    test(form.file, { tag: '@prove' }, ({ visitor, api }) => testForm(visitor, api, form));

  test('sign-in/password-link.tsx', { tag: '@prove' }, async ({ page, visitor, signIn, api }) => {
    await signIn('admin');
    const colleague = await inviteColleague(page, 'Practitioner');
    const link = linkIn(await awaitMail(colleague.email));
    await testForm(visitor, api, {
      file: 'sign-in/password-link.tsx',
      open: async (invitedPage) => {
        await invitedPage.goto(link);
        await invitedPage.getByLabel('New password').waitFor();
        return invitedPage.getByRole('main');
      },
      submit: 'Join the team',
      invalid: { 'Your name': LONG, 'New password': 'short' },
      valid: { 'Your name': 'Juniper Example', 'New password': colleague.password },
      call: 'staffLinks.use',
    });
  });

  test('sign-in/sign-in-form.tsx: password, sign-in/sign-in-form.tsx: code', { tag: '@prove' }, async ({ visitor }) => {
    await visitor.goto('/sign-in');
    const box = visitor.getByRole('main');
    const submit = box.getByRole('button', { name: 'Sign in' });
    await submit.click();
    await expectMessages(box, 2);
    await box.getByLabel('Email').fill('no-email');
    await submit.click();
    await expectMessages(box, 2);
    await box.getByLabel('Email').fill(`unknown-${randomSuffix()}@riverbend.example.test`);
    await box.getByLabel('Password').fill('wrong');
    await submit.click();
    await expect(box.getByText('Email or password is wrong.')).toBeVisible();
    await expectMessages(box, 1);
    await visitor.route('**/api/auth/callback/credentials*', (route) =>
      route.fulfill({ status: 401, json: { url: 'http://localhost/sign-in?error=code_required' } }),
    );
    await submit.click();
    await box.getByLabel('Code in your authenticator app').waitFor();
    await submit.click();
    await expectMessages(box, 1);
  });

  test('patient-sign-in/sign-in-dialogs.tsx: help', { tag: '@prove' }, async ({ page, visitor, signIn, api }) => {
    const id = await signUpByPhone(visitor, api);
    await signIn('admin');
    await testForm(page, api, {
      file: 'patient-sign-in/sign-in-dialogs.tsx: help',
      open: dialogBehind(`/patients/${id}`, 'Help with signing in'),
      submit: 'Help with signing in',
      invalid: { 'How did you make sure who it is?': '-' },
      valid: { 'How did you make sure who it is?': 'Passport shown', 'Phone number': '+12025550123' },
      call: 'patientSignIn.help',
    });
  });

  test('patient-sign-in/sign-in-dialogs.tsx: email', { tag: '@prove' }, async ({ page, visitor, signIn, api }) => {
    const id = await signUpByPhone(visitor, api);
    await signIn('admin');
    await testForm(page, api, {
      file: 'patient-sign-in/sign-in-dialogs.tsx: email',
      open: dialogBehind(`/patients/${id}`, 'Change email'),
      submit: 'Email the link',
      invalid: { 'New email address': 'no-email', 'How did you make sure who it is?': '-' },
      valid: { 'New email address': 'new@patients.example.test', 'How did you make sure who it is?': 'Passport shown' },
      call: 'patientSignIn.askEmailChange',
    });
  });

  test('checkout/checkout.tsx', { tag: '@prove' }, async ({ visitor, api }) => {
    const { id } = await api.subscribe((await api.createPatient()).id, 'paid');
    const link = { allow_promotion_codes: true };
    const { url } = await api.call<{ url: string }>(`/subscriptions/${id}/checkout_link`, link);
    await visitor.goto(url);
    await visitor.getByRole('button', { name: 'Apply' }).click();
    const form = visitor.locator('form').filter({ has: visitor.getByLabel('Promotion code') });
    await expectMessages(form, 1);
    // An announced console error has to occur.
    await visitor.getByLabel('Promotion code').fill('NO-SUCH-CODE');
    await visitor.getByRole('button', { name: 'Apply' }).click();
    await expect(visitor.getByText(/This code is unknown, used up or over/)).toBeVisible();
  });

  test('checkout/card-fields.tsx', async ({ page, visitor, signIn, api }) => {
    const { id } = await api.subscribe((await api.createPatient()).id, 'paid');
    await signIn('admin');
    const response = await page.request.post('/api/trpc/subscriptions.createCheckoutLink', {
      headers: PORTAL_HEADERS,
      data: { subscription_id: id },
    });
    const { result } = (await response.json()) as { result: { data: { url: string } } };
    await visitor.goto(result.data.url);
    await visitor.getByLabel('Card number').waitFor();
    await visitor.getByRole('button', { name: /^Pay / }).click();
    await expectMessages(visitor.getByRole('main'), 1);
    // An announced console error has to occur, and the provider's own validation sends no request.
    await visitor.goto('/visit/none');
    await visitor.getByText('This visit cannot be opened').waitFor();
  });
});

test('a new subscription focuses its plans, also after an error', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'New subscription' }).click();
  const dialog = page.getByRole('dialog', { name: /^New subscription/ });
  const plans = dialog.getByRole('radiogroup', { name: 'Plan' });
  const first = plans.getByRole('radio').first();
  await expect(first).toBeFocused();
  await dialog.getByRole('button', { name: 'Create subscription' }).click();
  await expect(plans).toHaveAttribute('aria-invalid', 'true');
  await expect(plans).toHaveAccessibleDescription('Choose a plan.');
  await expect(first).toBeFocused();
  await page.keyboard.press('Escape');

  await page.goto('/subscriptions');
  await page.getByRole('button', { name: 'New subscription' }).first().click();
  const patientField = page.getByRole('dialog').getByRole('combobox', { name: 'Patient' });
  await expect(patientField).toBeFocused();
  await page.getByRole('dialog').getByRole('radio').first().waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Create subscription' }).click();
  await expect(patientField).toHaveAccessibleDescription('Choose a patient.');
  await expect(patientField).toBeFocused();
});

test('an appointment that cannot be booked yet says what is missing', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book appointment' }).first().click();
  const book = page.getByRole('dialog').getByRole('button', { name: 'Book appointment' });
  await expect(book).toBeDisabled();
  await expect(book).toHaveAccessibleDescription('Choose a patient and an appointment type.');
});
