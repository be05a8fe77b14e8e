import type { PatientView } from '#contract/patients.ts';
import { expectAccessible } from './accessible.ts';
import { type Api, patientName, randomSuffix } from './api.ts';
import { expectFits } from './fits.ts';
import { expect, test } from './fixtures.ts';

/** A name of letters alone, as misspelled words have to be; the fourth and the fifth letter always differ. */
function randomName(): string {
  const letters = [...randomSuffix()].map((digit) => 'bcdfghjklmnpqrst'[Number.parseInt(digit, 16)]).join('');
  return `Q${letters.slice(0, 2)}rt${letters.slice(2)}`;
}
/** A day that no other patient of the run was born on. */
const randomDay = (): Date =>
  new Date(Date.UTC(1900, 0, 1 + (Number.parseInt(randomSuffix().slice(0, 4), 16) % 29_000)));
const isoOf = (day: Date): string => day.toISOString().slice(0, 10);
const formatted = (day: Date): string =>
  day.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });

async function createBorn(api: Api, day: Date): Promise<PatientView> {
  return api.call('/patients', {
    first_name: 'Wren',
    last_name: randomName(),
    birth_date: isoOf(day),
    external_id: `MRN-${randomSuffix()}`,
    phones_attributes: [{ number: '+12025550147', primary: true }],
  });
}

test('staff find the right patient by date of birth or a misspelled name, and do not add them twice', async ({
  page,
  signIn,
  api,
}) => {
  const day = randomDay();
  const patient = await createBorn(api, day);
  const lastName = patient.last_name!;
  await signIn('practitioner');
  await page.goto('/patients');
  const search = page.getByRole('searchbox', { name: /^Search by name/ });
  const row = page.getByRole('table', { name: 'Patients' }).getByRole('row').filter({ hasText: lastName });
  await search.fill(`wren ${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`);
  await expect(row).toContainText(`born ${formatted(day)}`);
  // Two letters exchanged.
  await search.fill(`${lastName.slice(0, 3)}${lastName[4]}${lastName[3]}${lastName.slice(5)} wren`);
  await expect(page.getByText(/These are spelled nearly the same/)).toBeVisible();
  await expect(row).toBeVisible();

  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Wrenn');
  await dialog.getByLabel('Last name').fill(randomName());
  await dialog.getByLabel('Date of birth').fill(isoOf(day));
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  const onRecord = dialog.getByRole('list', { name: 'Patients on record' });
  await expect(dialog.getByRole('alert')).toContainText('may be on record already');
  await expect(onRecord.getByRole('link', { name: patientName(patient) })).toHaveAttribute('target', '_blank');
  await expect(onRecord).toContainText('Same date of birth and a similar name');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(page.getByText('Patient added')).toBeVisible();
});

test('on a phone, the first screen of a chart says who the patient is and how to reach them', async ({
  page,
  signIn,
  api,
}) => {
  const day = randomDay();
  const patient = await createBorn(api, day);
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const header = page
    .locator('header')
    .filter({ has: page.getByRole('heading', { level: 1, name: patientName(patient) }) });
  await expect(header).toContainText(`Born ${formatted(day)}`);
  await expect(header).toContainText(`Chart ${patient.external_id}`);
  await expect(header.getByRole('link', { name: '(202) 555-0147' })).toHaveAttribute('href', 'tel:+12025550147');
  await expect(header.getByRole('link', { name: '(202) 555-0147' })).toBeInViewport();
  await expectFits(page);
});

test('the palette and the pickers name the date of birth', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const day = randomDay();
  const patient = await createBorn(api, day);
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox').fill(isoOf(day));
  const hit = page.getByRole('option', { name: patientName(patient) });
  await expect(hit).toContainText(`born ${formatted(day)}`);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Book appointment' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').first().fill(patient.last_name!);
  await expect(page.getByRole('option', { name: patientName(patient) })).toContainText(`born ${formatted(day)}`);
});
