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
  await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Charts opened' });
  const log = page.getByRole('table', { name: 'Audit log' });
  const opened = log.getByRole('button', { name: new RegExp(`opened the chart of ${name}`) });
  // One entry by the nurse, and one by the reviewer.
  await expect(opened).toHaveCount(2);
  await expect(page).toHaveURL(/what=patients\.get/);
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
  expect(text.split('\r\n').filter((line) => line.includes('patients.get'))).toHaveLength(2);
  expect(text).toContain(name);
});
