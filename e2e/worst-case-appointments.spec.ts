import { expectFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { insertWorstCaseAppointments, type WorstCaseAppointments } from './worst-case-appointments.ts';

const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

// A reader in another zone than the calendars, and a reader in the zone of some.
for (const timezoneId of ['UTC', 'America/New_York'])
  test.describe(`appointments that need the most room, read in ${timezoneId}`, { tag: '@prove' }, () => {
    test.use({ timezoneId });
    test.slow();

    let appointments: WorstCaseAppointments;
    test.beforeAll(async ({ api }) => {
      appointments = await insertWorstCaseAppointments(api);
    });
    test.afterAll(() => appointments.remove());

    for (const [place, pathOf, tables] of [
      ['Today', () => '/', ['Appointments today', 'Appointments of the next days']],
      ['Appointments', ({ day }) => `/appointments?view=all&from=${day}&until=${day}`, ['Appointments']],
      ['a patient’s page', ({ patientId }) => `/patients/${patientId}`, [/^Appointments of/, /^Past and canceled/]],
    ] as [string, (of: WorstCaseAppointments) => string, (string | RegExp)[]][])
      test(`fit on ${place}`, async ({ page, signIn }) => {
        await signIn('admin');
        await page.goto(pathOf(appointments));
        for (const name of tables)
          await expect(page.getByRole('table', { name }).getByRole('button', { name: /^Actions for/ })).not.toHaveCount(
            0,
          );
        await page.waitForLoadState('networkidle');
        await expectFits(page);
      });

    test('fit on the calendar, as a list and as a month', async ({ page, signIn }) => {
      const isElsewhere = timezoneId === 'UTC';
      // At night, the next day has already begun in zones that are further ahead.
      const day = isElsewhere ? dayAfter(appointments.day) : appointments.day;
      await signIn('admin');
      for (const view of isElsewhere ? ['list'] : ['list', 'month']) {
        await page.goto(`/calendar?view=${view}&day=${day}`);
        await expect(page.getByText(appointments.name).first()).toBeAttached();
        await page.waitForLoadState('networkidle');
        await expectFits(page);
      }
    });
  });
