import type { Locator, Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import type { Role } from '#contract/roles.ts';
import { expectAccessible } from './accessible.ts';
import { type Api, PORTAL_HEADERS, patientName, randomSuffix } from './api.ts';
import { expectFits } from './fits.ts';
import { blockLiveChanges, expect, test } from './fixtures.ts';
import { focused, press, visible } from './press.ts';

/** One patient on record twice: the clinic's own record, and one with a date of birth that an app created. */
async function createTwice(api: Api): Promise<{ kept: PatientView; other: PatientView }> {
  const last_name = `Example ${randomSuffix()}`;
  const kept = await api.call<PatientView>('/patients', {
    first_name: 'Wren',
    last_name,
    phone_number: '+12025550147',
    external_id: `MRN-${randomSuffix()}`,
  });
  const other = await api.call<PatientView>('/patients', {
    first_name: 'Renee',
    last_name,
    email: `wren-${randomSuffix()}@patients.example.test`,
    birth_date: '1984-02-29',
    administrative_gender: 'female',
    metadata: { source: 'app' },
  });
  return { kept, other };
}

const mergePath = (kept: PatientView, other: PatientView) => `/patients/${kept.id}/merge?with=${other.id}`;
const card = (page: Page, name: 'Kept record' | 'Other record'): Locator =>
  page.getByRole('region', { name, exact: true });
const valuesOf = (page: Page, field: string): Locator => page.getByRole('radiogroup', { name: field, exact: true });
const mergeButton = (page: Page): Locator => page.getByRole('main').getByRole('button', { name: 'Merge records' });
const picker = (page: Page): Locator => page.getByRole('combobox', { name: 'Choose the other record' });

async function confirm(page: Page): Promise<void> {
  await mergeButton(page).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Merge records' }).click();
}

test('an admin merges two records of one patient, and the old one names the new one', async ({ page, signIn, api }) => {
  const { kept, other } = await createTwice(api);
  await signIn('admin');
  const appointment = await api.book(other.id);
  await api.call('/tasks', { title: 'Call the pharmacy', patient_id: other.id });
  const note = { patient_id: other.id, text: 'Prefers mornings' };
  await page.request.post('/api/trpc/notes.create', { headers: PORTAL_HEADERS, data: note });

  await page.goto(`/patients/${other.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Merge with another record' }).click();
  await expect(card(page, 'Kept record')).toContainText(patientName(other));
  await expect(page.getByText('No record chosen yet')).toBeVisible();
  await picker(page).fill(kept.last_name!);
  await expect(page.getByRole('option')).toHaveText([new RegExp(patientName(kept))]);
  await page.getByRole('option').click();
  await expect(card(page, 'Other record')).toContainText(`${kept.external_id}`);
  await page.reload();
  await expect(picker(page)).toHaveValue(patientName(kept));
  await page.getByRole('link', { name: 'Keep the other one instead' }).click();
  await expect(page).toHaveURL(mergePath(kept, other));
  await expect(card(page, 'Kept record')).toContainText(`${kept.external_id}`);
  await expect(card(page, 'Other record')).toContainText('Feb 29, 1984');

  await expect(valuesOf(page, 'First name').getByRole('radio', { name: /^Wren/ })).toBeChecked();
  await valuesOf(page, 'First name')
    .getByRole('radio', { name: /^Renee/ })
    .click();
  await expect(valuesOf(page, 'Date of birth').getByRole('radio', { name: /^Feb 29, 1984/ })).toBeChecked();
  await valuesOf(page, 'Email')
    .getByRole('radio', { name: /^Not on record/ })
    .click();
  await expect(valuesOf(page, 'Sex on record').getByRole('radio', { name: /^Female/ })).toBeChecked();
  await expect(valuesOf(page, 'Last name')).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Moves to the kept record' }).getByRole('listitem')).toHaveText([
    '1 appointment, upcoming',
    '1 note',
    '1 task',
  ]);
  await expectAccessible(page);
  await mergeButton(page).click();
  const question = page.getByRole('alertdialog', { name: `Merge ${patientName(other)} into ${patientName(kept)}?` });
  await expect(question).toContainText('cannot be undone');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Merge records' }).click();

  await expect(page.getByText('The records were merged')).toBeVisible();
  await expect(page).toHaveURL(`/patients/${kept.id}`);
  const name = `Renee ${kept.last_name}`;
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByText('Born Feb 29, 1984')).toBeVisible();
  await expect(page.getByRole('table', { name: `Appointments of ${name}` })).toContainText(appointment.calendar);
  await expect(page.getByRole('region', { name: 'Notes', exact: true })).toContainText('Prefers mornings');
  await expect(page.getByText('Call the pharmacy')).toBeVisible();
  expect(await api.call(`/patients/${kept.id}`)).toMatchObject({ email: null, administrative_gender: 'female' });

  await page.goto(`/patients/${other.id}`);
  const merged = page.getByRole('region', { name: 'Merged record' });
  await expect(merged).toContainText(`This record was merged into ${name}.`);
  await expect(page.getByText('Archived', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Unarchive|Write a note)$/ })).toHaveCount(0);
  await expectAccessible(page);
  await page.goto(`/patients/${other.id}/merge`);
  await expect(page.getByLabel('Choose the other record')).toHaveCount(0);
  await merged.getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await page.goto(mergePath(kept, other));
  await page.getByRole('link', { name: 'Open that record' }).click();
  await expect(page).toHaveURL(`/patients/${kept.id}`);
});

test('a colleague’s open page of the kept record shows what has moved', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  sessionOf,
  api,
}) => {
  const { kept, other } = await createTwice(api);
  const appointment = await api.book(other.id);
  await visitor.context().addCookies((await sessionOf('practitioner')).cookies);
  await visitor.goto(`/patients/${kept.id}`);
  await visitor.getByText('No appointments booked').waitFor();
  await visitor.waitForLoadState('networkidle');
  await signIn('admin');
  const note = { patient_id: other.id, text: 'Prefers mornings' };
  await page.request.post('/api/trpc/notes.create', { headers: PORTAL_HEADERS, data: note });
  await page.goto(mergePath(kept, other));
  await confirm(page);
  await expect(page.getByText('The records were merged')).toBeVisible();
  await expect(visitor.getByRole('table', { name: /^Appointments of/ })).toContainText(appointment.calendar);
  await expect(visitor.getByText('Prefers mornings')).toBeVisible();
});

test('on a phone, the two records and their values are below each other', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { kept, other } = await createTwice(api);
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn('admin');
  await page.goto(mergePath(kept, other));
  const [own, second] = [card(page, 'Kept record'), card(page, 'Other record')];
  await expect(second).toContainText(patientName(other));
  const [above, below] = [await own.boundingBox(), await second.boundingBox()];
  expect(below!.y).toBeGreaterThan(above!.y + above!.height - 1);
  expect(below!.x).toBe(above!.x);
  await expectAccessible(page);
  await expectFits(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await mergeButton(page).click();
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Merge records' })).toBeInViewport();
});

test('records that cannot be merged say why, with links to both and no button', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { kept, other } = await createTwice(api);
  await api.subscribe(kept.id, 'trial');
  await api.subscribe(other.id, 'trial');
  await signIn('admin');
  await page.goto(mergePath(kept, other));
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText('Both have a subscription that has not ended.');
  await expect(alert.getByRole('link', { name: 'Open the kept record' })).toHaveAttribute(
    'href',
    `/patients/${kept.id}`,
  );
  await expect(alert.getByRole('link', { name: 'Open the other record' })).toHaveAttribute(
    'href',
    `/patients/${other.id}`,
  );
  await expect(mergeButton(page)).toHaveCount(0);
  await expect(page.getByRole('radiogroup')).toHaveCount(0);
  await expectAccessible(page);
  await expectFits(page);
});

test('an address without two records asks for the other one', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/404/);
  const { kept } = await createTwice(api);
  await signIn('admin');
  await page.goto(mergePath(kept, kept));
  await expect(page.getByText('This is the same record')).toBeVisible();
  await page.goto(mergePath(kept, { ...kept, id: '00000000-0000-4000-8000-000000000000' }));
  await expect(page.getByText('There is no such record')).toBeVisible();
  await expect(card(page, 'Kept record')).toContainText(patientName(kept));
  await expectAccessible(page);
  await page.goto('/patients/00000000-0000-4000-8000-000000000000/merge');
  await expect(page.getByText('There is no such patient')).toBeVisible();
});

test('with the keyboard alone: choose the other record, take its name, merge', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { kept, other } = await createTwice(api);
  const { keyboard } = page;
  const tabTo = async (element: Locator) => {
    await element.waitFor();
    for (let step = 0; step < 40; step++) {
      if (await element.evaluate((node) => node === document.activeElement)) return;
      await keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${element}`);
  };
  await signIn('admin');
  await page.goto(`/patients/${kept.id}/merge`);
  await page.getByText('No record chosen yet').waitFor();
  await tabTo(picker(page));
  await keyboard.type(other.last_name!);
  await expect(page.getByRole('option', { name: patientName(other) })).toBeVisible();
  await keyboard.press('Enter');
  await expect(card(page, 'Other record')).toContainText(patientName(other));
  await expect(picker(page)).toBeFocused();
  const own = valuesOf(page, 'First name').getByRole('radio', { name: /^Wren/ });
  await tabTo(own);
  // Held for a moment, as by a person: Radix chooses the radio once it has the focus, in a task of its own.
  await keyboard.press('ArrowDown', { delay: 100 });
  const taken = valuesOf(page, 'First name').getByRole('radio', { name: /^Renee/ });
  await expect(taken).toBeFocused();
  await expect(taken).toBeChecked();
  await tabTo(mergeButton(page));
  const question = page.getByRole('alertdialog');
  await press(page, 'Enter', visible(question));
  await expect(question.getByRole('button', { name: 'Keep both' })).toBeFocused();
  await press(page, 'Escape', focused(mergeButton(page)));
  await press(page, 'Enter', visible(question));
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await expect(page.getByText('The records were merged')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: `Renee ${kept.last_name}` })).toBeVisible();
});

test('a change in between stops the merge, and the comparison shows it', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const { kept, other } = await createTwice(api);
  await blockLiveChanges(page);
  await signIn('admin');
  await page.goto(mergePath(kept, other));
  await valuesOf(page, 'First name')
    .getByRole('radio', { name: /^Renee/ })
    .click();
  const changed = { id: other.id, birth_date: '1985-03-01' };
  const response = await page.request.post('/api/trpc/patients.update', { headers: PORTAL_HEADERS, data: changed });
  expect(response.status()).toBe(200);
  await confirm(page);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('was changed since they were compared');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(mergeButton(page)).toBeFocused();
  await expect(valuesOf(page, 'Date of birth').getByRole('radio', { name: /^Mar 1, 1985/ })).toBeChecked();
  await expect(valuesOf(page, 'First name').getByRole('radio', { name: /^Wren/ })).toBeChecked();
  await expect(mergeButton(page)).toBeFocused();
  await expectAccessible(page);
  await confirm(page);
  await expect(page.getByText('The records were merged')).toBeVisible();
  await expect(page.getByText('Born Mar 1, 1985')).toBeVisible();
});

test('the question sends one request for any number of presses', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const { kept, other } = await createTwice(api);
  await signIn('admin');
  let requests = 0;
  await page.route(/patients\.merge/, async (route) => {
    requests += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.goto(mergePath(kept, other));
  await mergeButton(page).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Merge records' }).dblclick();
  await page.keyboard.press('Enter');
  await expect(page.getByText('The records were merged')).toBeVisible();
  await expect(page).toHaveURL(`/patients/${kept.id}`);
  expect(requests).toBe(1);
});

for (const role of ['practitioner', 'front_desk'] as Role[])
  test(`as ${role}, no menu offers to merge, and the page is not open`, { tag: '@prove' }, async ({
    page,
    signIn,
    api,
  }) => {
    const { kept, other } = await createTwice(api);
    await signIn(role);
    await page.goto(`/patients/${kept.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Archive patient' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: /Merge/ })).toHaveCount(0);
    await page.goto(mergePath(kept, other));
    await expect(page.getByText('Your role does not include this page')).toBeVisible();
    await expect(mergeButton(page)).toHaveCount(0);
  });
