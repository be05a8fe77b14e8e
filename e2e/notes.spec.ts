import type { Locator, Page } from '@playwright/test';
import type { NotesPage, NoteView } from '#contract/notes.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS, patientName } from './api.ts';
import { staffOf } from './card.ts';
import { expectAccessibleAndFits } from './fits.ts';
import { expect, fillSignIn, test } from './fixtures.ts';
import { createLongPatient } from './long-patient.ts';
import { hidden, press } from './press.ts';

const section = (page: Page): Locator => page.getByRole('region', { name: 'Notes', exact: true });
const field = (page: Page): Locator => section(page).getByLabel('Note', { exact: true });
const noteOf = (page: Page, text: string): Locator => section(page).getByRole('listitem').filter({ hasText: text });
const stored = (page: Page): Locator => section(page).getByText('Draft saved');

/** Calls a procedure as the signed-in user of the page. */
async function post<View>(page: Page, procedure: string, data: object): Promise<View> {
  const response = await page.request.post(`/api/trpc/notes.${procedure}`, { headers: PORTAL_HEADERS, data });
  expect(response.status()).toBe(200);
  return ((await response.json()) as { result: { data: View } }).result.data;
}

async function show(page: Page, patientId: string): Promise<NotesPage> {
  const input = encodeURIComponent(JSON.stringify({ patient_id: patientId }));
  const response = await page.request.get(`/api/trpc/notes.show?input=${input}`);
  return ((await response.json()) as { result: { data: NotesPage } }).result.data;
}

const createNote = (page: Page, patient_id: string, text: string, more: object = {}): Promise<NoteView> =>
  post(page, 'create', { patient_id, text, ...more });

async function choose(page: Page, note: Locator, entry: string): Promise<void> {
  await note.getByRole('button', { name: /^Actions for the note of/ }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

test('a note is written, changed, pinned and found, and neither a draft nor a colleague’s text is lost', async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await expect(section(page)).toContainText('No notes yet.');
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('Sleeps badly.\n\n<b>No</b> new dose');
  await field(page).press('ControlOrMeta+Enter');
  const note = noteOf(page, 'Sleeps badly.');
  await expect(note).toContainText('<b>No</b> new dose');
  expect(await note.getByText('Sleeps badly.').innerText()).toBe('Sleeps badly.\n\n<b>No</b> new dose');

  await choose(page, note, 'Change');
  await field(page).fill('Sleeps well.');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  const changed = noteOf(page, 'Sleeps well.');
  await expect(changed).toContainText('changed by');
  await choose(page, changed, 'Earlier texts');
  await expect(page.getByRole('dialog', { name: 'Earlier texts' })).toContainText('Sleeps badly.');
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  const [knee] = await Promise.all(
    ['Knee hurts', 'Called José', 'Prefers mornings', 'Wears glasses'].map((text) =>
      createNote(page, patient.id, text),
    ),
  );
  await choose(page, changed, 'Pin');
  await expect(section(page).getByRole('listitem').first()).toContainText('Pinned');
  await expect(section(page).getByRole('listitem').first()).toContainText('Sleeps well.');
  await section(page).getByRole('searchbox').fill('jose');
  await expect(section(page).locator('mark')).toHaveText(['José']);
  await section(page).getByRole('searchbox').press('Escape');
  await expect(section(page).getByText('1 note found')).toHaveCount(0);

  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('Ask for the');
  await field(page).blur();
  await expect(stored(page)).toBeVisible();
  await page.reload();
  await section(page).getByRole('button', { name: 'Continue your draft' }).click();
  await expect(field(page)).toHaveValue('Ask for the');
  await field(page).pressSequentially(' letter');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  await expect(noteOf(page, 'Ask for the letter')).toBeVisible();
  // The form closes after the list has the note, and then moves the focus.
  await expect(field(page)).toBeHidden();

  await choose(page, noteOf(page, 'Knee hurts'), 'Change');
  await post(page, 'update', { id: knee!.id, version: 1, text: 'Left knee hurts' });
  await field(page).fill('Knee hurts at night');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  await expect(section(page).getByRole('alert')).toContainText('changed this note');
  await expect(section(page).getByText('Left knee hurts')).toBeVisible();
  await expect(field(page)).toHaveValue('Knee hurts at night');
  await section(page).getByRole('button', { name: 'Save mine' }).click();
  await expect(noteOf(page, 'Knee hurts at night')).toBeVisible();
});

test('a removed note keeps its earlier texts, and a draft of it opens beside what has happened', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  const { id } = await createNote(page, patient.id, 'Allergic to latex', { pinned: true });
  await page.goto(`/patients/${patient.id}`);
  await choose(page, noteOf(page, 'Allergic to latex'), 'Remove');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('earlier texts');
  await question.getByRole('button', { name: 'Remove note' }).click();
  const removed = noteOf(page, 'Removed by');
  await expect(removed).toBeVisible();
  await expect(removed).not.toContainText('Pinned');
  await expectAccessible(page);
  await post(page, 'saveDraft', { target_type: 'note', target_id: id, text: 'Allergic to latex and wool', version: 1 });
  await page.reload();
  await removed.getByRole('button', { name: 'Continue your draft' }).click();
  await expect(section(page).getByRole('alert')).toContainText('removed this note');
  await expect(field(page)).toHaveValue('Allergic to latex and wool');
  await section(page).getByRole('button', { name: 'Save mine' }).click();
  await choose(page, noteOf(page, 'Allergic to latex and wool'), 'Earlier texts');
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveText([/^Removed by/, /^Allergic to latex/]);
});

test('discarding asks only about written text, and deletes the draft', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const write = section(page).getByRole('button', { name: 'Write a note' });
  const discard = section(page).getByRole('button', { name: 'Discard' });
  await write.click();
  await discard.click();
  await expect(write).toBeFocused();
  await write.click();
  await field(page).fill('Not this');
  // A pause in typing.
  await expect(stored(page)).toBeVisible();
  expect((await show(page, patient.id)).drafts).toMatchObject([{ target_type: 'patient', text: 'Not this' }]);
  await discard.click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Keep writing' }).click();
  await expect(field(page)).toHaveValue('Not this');
  await discard.click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(write).toBeFocused();
  expect((await show(page, patient.id)).drafts).toEqual([]);
});

test('saves once for a double click, and cleans what is pasted', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('First\u2028second\u0007 third');
  await section(page).getByRole('button', { name: 'Save note' }).dblclick();
  await expect(noteOf(page, 'First')).toBeVisible();
  expect((await show(page, patient.id)).items.map(({ text }) => text)).toEqual(['First\nsecond third']);
});

test('without a connection the text stays in the window, and is stored when there is one again', {
  tag: '@prove',
}, async ({ page, signIn, api, watch }) => {
  watch.allow(/ERR_INTERNET_DISCONNECTED/);
  const patient = await api.createPatient();
  const other = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto(`/patients/${other.id}`);
  await page.getByRole('navigation').getByRole('link', { name: 'Patients' }).first().click();
  await page.getByRole('link', { name: patientName(patient) }).click();
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await page.context().setOffline(true);
  await field(page).fill('Written in the cellar');
  await expect(section(page)).toContainText('Not saved: no connection. Your text stays in this window.');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  await expect(section(page).getByRole('alert')).toBeVisible();
  await expect(field(page)).toHaveValue('Written in the cellar');
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).includes('cellar')),
  ).toBe(false);
  // A link waits for the connection.
  await page.getByRole('navigation').getByRole('link', { name: 'Patients' }).first().click();
  await page.getByRole('status').getByRole('button', { name: 'Stay here' }).click();
  await page.context().setOffline(false);
  await expect(stored(page)).toBeVisible();
  expect((await show(page, patient.id)).drafts).toMatchObject([{ text: 'Written in the cellar' }]);
  // Nothing is lost now, so nothing is asked.
  await page.getByRole('navigation').getByRole('link', { name: 'Patients' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
});

test('a text that could not be stored is there on the way back, and gone after signing out', {
  tag: '@prove',
}, async ({ page, signIn, api, watch }) => {
  watch.allow(/ERR_FAILED/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('link', { name: patientName(patient) }).click();
  await page.route('**/notes.saveDraft*', (route) => route.abort());
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('Only in memory');
  await expect(section(page)).toContainText('Not saved: no connection.');
  await page.getByRole('navigation').getByRole('link', { name: 'Patients' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor();
  await page.goBack();
  await section(page).getByRole('button', { name: 'Continue your draft' }).click();
  await expect(field(page)).toHaveValue('Only in memory');
  await expect(section(page)).toContainText('Not saved: no connection.');

  // The browser asks, because the text would be lost.
  page.on('dialog', (question) => void question.accept());
  await page.context().clearCookies();
  await page.reload();
  await fillSignIn(page, staffOf('practitioner'));
  await section(page).waitFor();
  await expect(section(page).getByRole('button', { name: 'Write a note' })).toBeVisible();
  await expect(page.getByText('Only in memory')).toHaveCount(0);
});

test('an appointment’s notes are on its page and on the patient’s; read-only staff change none', {
  tag: '@prove',
}, async ({ page, visitor, signIn, sessionOf, api }) => {
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await createNote(page, patient.id, 'About the patient');
  await page.goto(`/appointments/${appointment.id}`);
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('Bring the X-ray');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  await expect(noteOf(page, 'Bring the X-ray')).toBeVisible();
  await expect(section(page)).not.toContainText('About the patient');
  await page.goto(`/patients/${patient.id}`);
  await noteOf(page, 'Bring the X-ray')
    .getByRole('link', { name: new RegExp(`^${appointment.appointment_type}`) })
    .click();
  await expect(page).toHaveURL(new RegExp(`/appointments/${appointment.id}$`));

  await visitor.context().addCookies((await sessionOf('read_only')).cookies);
  await visitor.goto(`/patients/${patient.id}`);
  await expect(noteOf(visitor, 'Bring the X-ray')).toBeVisible();
  await expect(section(visitor).getByRole('button')).toHaveCount(0);
});

test('notes of any length fit each screen, and print has all of a long one', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const { id } = await createLongPatient(api);
  await signIn('practitioner');
  await createNote(page, id, `${'word '.repeat(400)}the end`);
  await createNote(page, id, 'x'.repeat(2_000), { pinned: true });
  for (let count = 0; count < 23; count += 1) await createNote(page, id, `Line\n${count}`);
  await page.goto(`/patients/${id}`);
  await section(page).getByRole('button', { name: 'Load more' }).click();
  const long = noteOf(page, 'word word');
  await expect(long.getByText('the end')).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(long.getByText('the end')).toBeVisible();
  for (const name of ['Write a note', 'More', /^Actions for the note/])
    await expect(section(page).getByRole('button', { name })).toHaveCount(0);
  await page.emulateMedia({ media: 'screen' });
  await long.getByRole('button', { name: 'More' }).click();
  await expect(long.getByText('the end')).toBeVisible();
  await section(page).getByRole('searchbox').fill('zebra');
  await expect(section(page).getByText('No note contains “zebra”.')).toBeVisible();
  await section(page).getByRole('searchbox').fill('end');
  await expect(section(page).locator('mark')).toHaveText(['end']);
  await section(page).getByRole('button', { name: 'Write a note' }).click();
  await field(page).fill('y'.repeat(9_600));
  await expect(section(page)).toContainText('400 characters left');
  // As a paste does: nothing of it is cut.
  await page.keyboard.insertText('z'.repeat(520));
  await expect(section(page).locator('form').getByRole('status')).toHaveText('120 characters too many');
  await section(page).getByRole('button', { name: 'Save note' }).click();
  await expect(section(page)).toContainText('Use at most 10,000 characters.');
  await expect(section(page)).toContainText('The draft is not saved: it is too long.');
  await expectAccessibleAndFits(page);
});
