import { readFile } from 'node:fs/promises';
import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';

test('an admin finds the users who have opened a chart', { tag: '@prove' }, async ({
  page,
  api,
  signIn,
  visitor,
  sessionOf,
}) => {
  const name = `Reviewed${randomSuffix()}`;
  const patient = await api.createPatient(name);
  const practitionerCookies = (await sessionOf('practitioner')).cookies;
  await visitor.context().addCookies(practitionerCookies);
  await visitor.goto(`/patients/${patient.id}`);
  await expect(visitor.getByRole('heading', { level: 1, name: new RegExp(name) })).toBeVisible();
  await visitor.getByRole('button', { name: 'More actions' }).click();
  await expect(visitor.getByRole('menuitem', { name: 'Edit details' })).toBeVisible();
  await expect(visitor.getByRole('menuitem', { name: 'Who has seen this chart' })).toHaveCount(0);

  await signIn('admin');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Who has seen this chart' }).click();
  const sheet = page.getByRole('dialog', { name: /^Who has seen the chart of/ });
  const readers = sheet.getByRole('list', { name: 'Who has seen this chart' });
  await expect(readers.getByRole('listitem')).not.toHaveCount(0);
  await expect(readers.getByText(/\d+ times?/).first()).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Search by patient' }).fill(name);
  await page.getByRole('option', { name: new RegExp(name) }).click();
  await expect(page).toHaveURL(new RegExp(`patient=${patient.id}`));
  await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Charts opened' });
  const log = page.getByRole('table', { name: 'Audit log' });
  const opened = log.getByRole('button', { name: new RegExp(`opened the chart of ${name}`) });
  // One entry by the nurse, and one by the reviewer.
  await expect(opened).toHaveCount(2);
  await expect(page).toHaveURL(/what=charts/);
  await expect(log.getByRole('button', { name: /^(?!.*opened the chart)/ })).toHaveCount(0);
  await expect(log).not.toHaveAttribute('aria-busy');
  await expectAccessible(page);
  await opened.first().click();
  const entry = page.getByRole('dialog');
  await expect(entry.getByText(/on Linux/)).toBeVisible();
  await expect(entry.getByRole('link', { name: new RegExp(name) })).toBeVisible();
  await press(page, 'Escape', hidden(entry));

  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /spreadsheet/ }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text.split('\r\n').filter((line) => line.includes(',patients.get,'))).toHaveLength(2);
  // The page folds the timeline into the opened chart; the export has each entry.
  expect(text.split('\r\n').filter((line) => line.includes(',timeline.list,'))).toHaveLength(2);
  expect(text).toContain(name);
});

test('an opened chart is one row, and its sheet has each entry', async ({ page, api, signIn, visitor, sessionOf }) => {
  const name = `Folded${randomSuffix()}`;
  const patient = await api.createPatient(name);
  await visitor.context().addCookies((await sessionOf('practitioner')).cookies);
  await visitor.goto(`/patients/${patient.id}`);
  await expect(visitor.getByRole('heading', { level: 1, name: new RegExp(name) })).toBeVisible();
  await visitor.waitForLoadState('networkidle');

  await signIn('admin');
  await page.goto(`/settings/audit?patient=${patient.id}`);
  const log = page.getByRole('table', { name: 'Audit log' });
  // On a busy machine, reads may be written before the opening or long after it; those have rows of their own.
  const row = log.getByRole('button', { name: new RegExp(`opened the chart of ${name}.* and \\d+ more reads?`) });
  await expect(row).toHaveCount(1);
  await expect(page.getByRole('combobox', { name: 'Search by patient' })).toHaveValue(new RegExp(name));
  await row.click();
  const sheet = page.getByRole('dialog', { name: new RegExp(`opened the chart of ${name}`) });
  const entries = sheet.getByRole('list', { name: 'Entries' }).getByRole('listitem');
  await expect(entries.filter({ hasText: 'patients.get' })).toHaveCount(1);
  expect(await entries.count()).toBeGreaterThan(1);
  await expectAccessible(page);

  await sheet.getByRole('button', { name: 'Only what they did' }).click();
  await expect(log.getByRole('button', { name: `added ${name}` })).toHaveCount(0);
  await expect(row).toHaveCount(1);
  const who = page.getByRole('combobox', { name: 'Who' });
  await expect(who).not.toHaveValue('');
  await who.selectOption({ label: 'Patients' });
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await who.selectOption({ label: 'Anybody' });
  await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Patients' });
  await expect(log.getByRole('button')).toHaveText([new RegExp(`added ${name}`)]);
});
