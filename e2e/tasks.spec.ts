import type { Locator, Page } from '@playwright/test';
import type { TaskView } from '#contract/tasks.ts';
import { expectAccessible } from './accessible.ts';
import { type Api, PORTAL_HEADERS, patientName, randomSuffix } from './api.ts';
import { expectAccessibleAndFits, expectFits } from './fits.ts';
import { expect, fillSignIn, openListening, test } from './fixtures.ts';
import { createLongPatient } from './long-patient.ts';
import { hidden, press, visible } from './press.ts';
import { createColleague } from './team.ts';
import { createUnmatchedBooking } from './unknown-objects.ts';

/** The day in the clinic's zone. */
const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString('en-CA', { timeZone: 'America/New_York' });

const table = (page: Page): Locator => page.getByRole('table', { name: 'Tasks' });
const rowOf = (page: Page, title: string): Locator => table(page).getByRole('row').filter({ hasText: title });
const dialog = (page: Page): Locator => page.getByRole('dialog');

const createTask = (api: Api, task: Partial<TaskView> & { title: string }): Promise<TaskView> =>
  api.call<TaskView>('/tasks', task);

async function ownId(page: Page): Promise<string> {
  const response = await page.request.get('/api/trpc/session.me?input=%7B%7D');
  return ((await response.json()) as { result: { data: { user: { id: string } } } }).result.data.user.id;
}

async function assign(page: Page, name: string): Promise<void> {
  await dialog(page).getByLabel('Assigned to').click();
  await page.getByRole('option', { name }).first().click();
}

test('a practitioner makes a follow-up from an appointment, completes it and undoes that', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Quinn');
  const appointment = await api.book(patient.id);
  const title = `Follow up with ${patientName(patient)}`;
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Follow up' }).click();
  await expect(dialog(page)).toContainText(`About ${patientName(patient)}`);
  await expect(dialog(page).getByLabel('Title')).toHaveValue(title);
  await expect(dialog(page).getByLabel(/^Due/).first()).toHaveValue(dayIn(14));
  await dialog(page).getByRole('button', { name: 'Tomorrow' }).click();
  await dialog(page).getByRole('button', { name: 'Create task' }).click();
  await expect(page.getByText('Task created')).toBeVisible();
  await page.goto('/tasks');
  const row = rowOf(page, title);
  await expect(row).toContainText('Tomorrow');
  await expect(row.getByRole('link', { name: patientName(patient) })).toHaveAttribute(
    'href',
    `/patients/${patient.id}`,
  );
  await expect(row.getByRole('link', { name: 'Appointment' })).toHaveAttribute(
    'href',
    `/appointments/${appointment.id}`,
  );
  await row.getByRole('button', { name: `Done: ${title}` }).click();
  await expect(page.getByText('Task completed')).toBeVisible();
  await expect(row).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The task is open again')).toBeVisible();
  await expect(row).toBeVisible();
});

test('Today shows the own tasks, the most urgent first, and nothing without any', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Practitioner');
  await visitor.goto('/');
  await fillSignIn(visitor, colleague);
  await visitor.getByRole('table', { name: 'Appointments of the next days' }).waitFor();
  const id = await ownId(visitor);
  const suffix = randomSuffix();
  const titles = Array.from({ length: 6 }, (_, index) => `Task ${index} ${suffix}`);
  for (const [index, title] of titles.entries())
    await createTask(api, { title, assignee_id: id, ...(index < 5 && { due_date: dayIn(index - 2) }) });
  await visitor.reload();
  const card = visitor.getByRole('region', { name: 'My tasks' });
  const items = card.getByRole('listitem');
  await expect(items.first()).toContainText(titles[0]!);
  const own = items.filter({ hasText: suffix });
  await expect(own.nth(0)).toContainText('Overdue since');
  await expect(own.nth(1)).toContainText('Overdue since yesterday');
  await expect(own.nth(2)).toContainText('Due today');
  expect(await items.count()).toBe(5);
  await expectAccessibleAndFits(visitor);
  await card.getByRole('button', { name: `Done: ${titles[0]}` }).click();
  await expect(items.filter({ hasText: titles[0]! })).toHaveCount(0);
  // Undo by the key, as for other actions.
  await press(visitor, 'ControlOrMeta+z', visible(visitor.getByText('The task is open again')));
  await expect(items.first()).toContainText(titles[0]!);
  await card.getByRole('link', { name: 'All tasks' }).click();
  await expect(rowOf(visitor, titles[5]!)).toContainText('No date');
});

test('a task of a role shows to all who hold it, and the completed ones say who did it', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const suffix = randomSuffix();
  const [forDesk, forAnyone] = [`Print the forms ${suffix}`, `Water the plants ${suffix}`];
  await createTask(api, { title: forDesk, assignee_role: 'front_desk', due_date: dayIn(-1) });
  await createTask(api, { title: forAnyone });
  await signIn('front_desk');
  await page.goto('/tasks');
  const desk = rowOf(page, forDesk);
  await expect(desk).toContainText('Front desk');
  await expect(desk).toContainText('Overdue');
  await expect(rowOf(page, forAnyone)).toContainText('Anyone');
  await expectAccessible(page);
  await desk.getByRole('button', { name: 'Done' }).click();
  await expect(desk).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Completed');
  await expect(desk).toContainText(/Example.*20\d\d/);
  await expect(desk.getByRole('button', { name: 'Done' })).toHaveCount(0);
  await page.reload();
  await expect(page).toHaveURL(/status=completed/);
  await desk.getByRole('button', { name: `Actions for “${forDesk}”` }).click();
  await page.getByRole('menuitem', { name: 'Open again' }).click();
  await expect(page.getByText('The task is open again')).toBeVisible();

  await page.getByRole('combobox', { name: 'Status' }).selectOption('Open');
  const whose = page.getByRole('group', { name: 'Whose tasks' });
  await whose.getByRole('button', { name: 'Everyone’s' }).click();
  const assignee = page.getByRole('combobox', { name: 'Assigned to' });
  await assignee.selectOption('Role: Front desk');
  await expect(desk).toBeVisible();
  await expect(table(page).getByRole('row').filter({ hasText: 'Anyone' })).toHaveCount(0);
  await page.reload();
  await expect(desk).toBeVisible();
  await expect(assignee).toHaveValue('role:front_desk');
  await assignee.selectOption('Role: Admin');
  await expect(desk).toHaveCount(0);
});

test('read-only staff see tasks and change none', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  const title = `Call back ${randomSuffix()}`;
  const note = `They call from work. ${'Any day will do. '.repeat(20)}Ask for the new number.`;
  await createTask(api, { title, note, patient_id: patient.id });
  await signIn('read_only');
  await page.goto(`/patients/${patient.id}`);
  const section = page.getByRole('region', { name: /^Open tasks about/ });
  await expect(section).toContainText(title);
  await expect(page.getByRole('button', { name: 'New task' })).toHaveCount(0);
  await expect(section.getByText('Ask for the new number.')).toHaveCount(0);
  await section.getByRole('button', { name: 'More' }).click();
  await expect(section.getByText('Ask for the new number.')).toBeVisible();
  await expect(section.getByRole('button')).toHaveText(['Less']);
  await page.goto('/tasks?whose=all&status=completed');
  await page.getByRole('region', { name: 'Tasks' }).waitFor();
  await page.goto('/tasks');
  await page.getByRole('region', { name: 'Tasks' }).waitFor();
  await expect(page.getByRole('button', { name: /New task|Done|Actions for/ })).toHaveCount(0);
});

test('a task is edited, and changes are not lost by a slip', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  const { id } = await createTask(api, { title: 'Call back', patient_id: patient.id });
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const section = page.getByRole('region', { name: /^Open tasks about/ });
  await section.getByRole('button', { name: 'Actions for “Call back”' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await expect(dialog(page)).toContainText('It shows among everyone’s own tasks');
  await dialog(page).getByLabel('Title').fill('Call the pharmacy');
  await dialog(page).getByLabel('Details (optional)').fill('About the new dose');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await dialog(page).getByRole('button', { name: 'In a week' }).click();
  await assign(page, 'Billing');
  await dialog(page).getByRole('button', { name: 'Save task' }).click();
  await expect(page.getByText('Task saved')).toBeVisible();
  await expect(section).toContainText('Call the pharmacy');
  await expect(section).toContainText('Assigned to Billing');
  expect(await api.call(`/tasks/${id}`)).toMatchObject({
    title: 'Call the pharmacy',
    note: 'About the new dose',
    due_date: dayIn(7),
    assignee_id: null,
    assignee_role: 'billing',
    patient_id: patient.id,
  });
  await section.getByRole('button', { name: 'Done' }).click();
  await expect(section).toHaveCount(0);
  await expect(page.getByText('A task was completed').first()).toBeVisible();
  // The page's menu starts the next one.
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'New task' }).click();
  await dialog(page).getByLabel('Title').fill('Send the results');
  await dialog(page).getByRole('button', { name: 'Create task' }).click();
  await expect(section).toContainText('Send the results');
});

test('a task is made about a payment, a booking to match, and by the palette', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  const name = patientName(patient);
  const { id } = await api.subscribe(patient.id, 'paid');
  // Stripe reports the bill a moment later.
  await expect.poll(async () => (await api.payments(id)).length).toBe(1);
  await signIn('front_desk');
  const create = async (title: string) => {
    await expect(dialog(page).getByLabel('Title')).toHaveValue(title);
    await dialog(page).getByRole('button', { name: 'Create task' }).click();
    await expect(dialog(page)).toHaveCount(0);
  };
  await page.goto(`/subscriptions/${id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Make a task' }).click();
  await create(`${name} has not paid yet`);
  await page.getByRole('button', { name: 'Invoice', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Make a task' }).click();
  await create(`${name} has not paid yet`);
  const lastName = await createUnmatchedBooking();
  await page.goto('/appointments/unmatched');
  await page.getByRole('button', { name: `Actions for the booking for Robin ${lastName}` }).click();
  await page.getByRole('menuitem', { name: 'Make a task' }).click();
  await create(`Match the booking of Robin ${lastName}`);

  await openListening(page, '/tasks');
  await expect(rowOf(page, `Robin ${lastName}`).getByRole('link', { name: 'Bookings to match' })).toBeVisible();
  const unpaid = rowOf(page, `${name} has not paid yet`);
  await expect(unpaid).toHaveCount(2);
  await expect(unpaid.getByRole('link', { name: 'Subscription' })).toHaveCount(1);
  await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox', { name: /^Find/ })));
  await page.getByRole('combobox', { name: /^Find/ }).fill('new task');
  await page.getByRole('option', { name: 'New task' }).click();
  const title = `Order gloves ${randomSuffix()}`;
  await dialog(page).getByLabel('Title').fill(title);
  await dialog(page)
    .getByRole('combobox', { name: 'Patient' })
    .fill(patient.last_name ?? '');
  await page.getByRole('option', { name }).click();
  await dialog(page).getByRole('button', { name: 'Create task' }).click();
  await expect(rowOf(page, title).getByRole('link', { name })).toBeVisible();
});

test('a task of a colleague who has left waits for another', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Billing');
  const listed = await page.request.get('/api/trpc/tasks.assignees');
  const { result } = (await listed.json()) as { result: { data: { id: string; name: string }[] } };
  const { id } = result.data.find(({ name }) => name === colleague.name)!;
  const title = `Check the bills ${randomSuffix()}`;
  await createTask(api, { title, assignee_id: id, due_date: dayIn(-30) });
  const response = await page.request.post('/api/trpc/team.disable', { headers: PORTAL_HEADERS, data: { id } });
  expect(response.status()).toBe(200);
  await page.goto('/tasks?whose=all');
  const row = rowOf(page, title);
  await expect(row).toContainText('Has left: choose another');
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await expect(dialog(page)).toContainText(`${colleague.name} has left. Choose another.`);
  await dialog(page).getByRole('button', { name: 'Save task' }).click();
  await expect(dialog(page)).toContainText('Choose another, because the last one has left.');
  await assign(page, 'Anyone');
  await dialog(page).getByRole('button', { name: 'Save task' }).click();
  await expect(row).toContainText('Anyone');
});

test('tasks fit a phone, with titles of any length', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const title = `${'x'.repeat(180)} ${randomSuffix()}`;
  const { id } = await createLongPatient(api);
  await createTask(api, {
    title,
    patient_id: id,
    note: `${'y'.repeat(1000)}\n${'word '.repeat(150)}`,
    due_date: dayIn(-400),
    assignee_role: 'practitioner',
  });
  await signIn('practitioner');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/tasks');
  const row = rowOf(page, title);
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'More' }).click();
  await expectFits(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await row.getByRole('button', { name: /^Done/ }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole('button', { name: 'New task' }).click();
  await dialog(page).getByLabel('Title').waitFor();
  await expectFits(page);
  await press(page, 'Escape', hidden(dialog(page)));
});
