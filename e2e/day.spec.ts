import type { Locator, Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import type { PractitionerView } from '#contract/practitioners.ts';
import { type Api, patientName, randomSuffix } from './api.ts';
import { type AppointmentNow, bookAppointmentAt, inMinutes, noonTimeZone } from './appointment-now.ts';
import { WITH_DEVICES } from './call.ts';
import { staffOf } from './card.ts';
import { type ClinicSettings, readClinic, saveClinic } from './clinic-settings.ts';
import { expect, openListening, test } from './fixtures.ts';

type Device = 'desktop' | 'phone';
/** Clicks and fields that a task may take on each device, from Today until the page shows its result. */
const BUDGETS = {
  'join a call 15 minutes before': { desktop: 2, phone: 2 },
  'find a patient by date of birth': { desktop: 3, phone: 3 },
  'write a note on an appointment': { desktop: 4, phone: 4 },
  'plan a follow-up in two weeks': { desktop: 3, phone: 3 },
  'move to another practitioner': { desktop: 6, phone: 6 },
  'note a no-show': { desktop: 1, phone: 1 },
  'make a plan': { desktop: 5, phone: 6 },
  'merge a duplicate': { desktop: 9, phone: 9 },
} satisfies Record<string, Record<Device, number>>;
type Task = keyof typeof BUDGETS;

const SCREENS: Record<Device, object> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
};
/** An appointment that begins or began some minutes ago is part of the clinic's current day, at any time of the run. */
const NOON = noonTimeZone();
const DAY_MS = 86_400_000;

test.use({ timezoneId: NOON, launchOptions: WITH_DEVICES, permissions: ['camera', 'microphone'] });

/** Does what a user does with the mouse and the keyboard, and counts it. */
function createHand() {
  const counted = { clicks: 0, fields: 0 };
  return {
    counted,
    /** Presses a button, a link, an option or a menu. */
    async click(target: Locator): Promise<void> {
      counted.clicks += 1;
      await target.click();
    },
    /** Writes into a field. */
    async write(field: Locator, text: string): Promise<void> {
      counted.fields += 1;
      await field.fill(text);
    },
  };
}
type Hand = ReturnType<typeof createHand>;

/** Runs tasks from Today, and asserts their budgets and prints what they took once all are done. */
function createDay(page: Page, device: Device) {
  const rows: { task: Task; clicks: number; fields: number; seconds: number; budget: number }[] = [];
  return {
    async task(task: Task, run: (hand: Hand) => Promise<void>): Promise<void> {
      await openListening(page, '/');
      const hand = createHand();
      const start = Date.now();
      await run(hand);
      const seconds = Math.round((Date.now() - start) / 100) / 10;
      rows.push({ task, ...hand.counted, seconds, budget: BUDGETS[task][device] });
    },
    finish(): void {
      console.log(device);
      console.table(rows);
      for (const { task, clicks, fields, budget } of rows)
        expect.soft(clicks + fields, `${task}: clicks and fields`).toBeLessThanOrEqual(budget);
    },
  };
}

async function ownPractitionerId(api: Api): Promise<string> {
  const { email } = staffOf('practitioner');
  const all = await api.call<PractitionerView[]>('/practitioners');
  return all.find((one) => one.email === email)!.id;
}

/** A date of birth as it is written on paper, and as it is stored. */
function randomBirthDate(): { written: string; stored: string } {
  const day = new Date(Date.UTC(1900, 0, 1) + (Number.parseInt(randomSuffix().slice(0, 4), 16) % 29_000) * DAY_MS);
  const written = `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`;
  return { written, stored: day.toISOString().slice(0, 10) };
}

const createNamed = (api: Api, more: object): Promise<PatientView> =>
  api.call('/patients', { first_name: 'Wren', last_name: `Example ${randomSuffix()}`, ...more });

const dayTable = (page: Page): Locator => page.getByRole('table', { name: 'Appointments today' });
const rowOf = (page: Page, { appointment }: AppointmentNow): Locator =>
  dayTable(page)
    .getByRole('row')
    .filter({ has: page.locator(`a[href="/appointments/${appointment.id}"]`) });

async function search(page: Page, hand: Hand, text: string, name: string): Promise<void> {
  await hand.click(page.getByRole('button', { name: 'Search' }).first());
  await hand.write(page.getByRole('combobox'), text);
  await hand.click(page.getByRole('group', { name: 'Patients' }).getByRole('option', { name }));
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

const planRow = (page: Page, plan: string): Locator =>
  page.getByRole('region', { name: 'Plans' }).getByRole('row').filter({ hasText: plan });

/** Other tests choose among the plans that are offered. */
async function archivePlan(page: Page, plan: string): Promise<void> {
  await page.goto('/plans');
  const actions = planRow(page, plan).getByRole('button', { name: /^Actions/ });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Archive…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive plan' }).click();
  await expect(actions).toHaveCount(0);
}

let savedSettings: ClinicSettings;
let booked: AppointmentNow[] = [];
test.beforeEach(async ({ page, signIn }) => {
  await signIn('admin');
  savedSettings = await readClinic(page);
  await saveClinic(page, { ...savedSettings, time_zone: NOON });
});
test.afterEach(async ({ page, signIn, api }) => {
  // An open page would request what changes, as a user who is no longer signed in.
  await page.goto('about:blank');
  for (const { appointment } of booked.splice(0)) await api.cancelAppointment(appointment.id).catch(() => {});
  // Other tests use the same clinic.
  await signIn('admin');
  await saveClinic(page, savedSettings);
});

for (const device of ['desktop', 'phone'] as const)
  test.describe(`on a ${device}`, () => {
    test.use(SCREENS[device]);

    test('a nurse’s tasks keep their budget of clicks and fields', { tag: '@prove' }, async ({
      page,
      context,
      signIn,
      api,
      watch,
    }) => {
      // Signals to, or from, a participant who is just leaving.
      watch.tolerate(/409 .*\/api\/calls\/signal/);
      const practitionerId = await ownPractitionerId(api);
      const { written, stored } = randomBirthDate();
      const born = await createNamed(api, { birth_date: stored });
      const [soon, later, missed] = [
        await bookAppointmentAt(inMinutes(15), api, { practitionerId }),
        await bookAppointmentAt(inMinutes(90), api, { practitionerId }),
        await bookAppointmentAt(inMinutes(-17), api, { practitionerId }),
      ];
      booked = [soon, later, missed];
      await signIn('practitioner');
      const day = createDay(page, device);

      await day.task('join a call 15 minutes before', async (hand) => {
        const opened = context.waitForEvent('page');
        await hand.click(rowOf(page, soon).getByRole('link', { name: /^Join/ }));
        const call = await opened;
        await hand.click(call.getByRole('button', { name: 'Join the visit' }));
        await expect(call.getByRole('heading', { name: `${patientName(soon.patient)} is not here yet` })).toBeVisible();
        await call.close();
      });

      await day.task('find a patient by date of birth', (hand) => search(page, hand, written, patientName(born)));

      await day.task('write a note on an appointment', async (hand) => {
        await hand.click(rowOf(page, later).getByRole('link', { name: patientName(later.patient) }));
        const notes = page.getByRole('region', { name: 'Notes', exact: true });
        await hand.click(notes.getByRole('button', { name: 'Write a note' }));
        await hand.write(notes.getByLabel('Note', { exact: true }), 'Blood pressure 120 over 80');
        await hand.click(notes.getByRole('button', { name: 'Save note' }));
        await expect(notes.getByRole('listitem')).toContainText('Blood pressure 120 over 80');
      });

      const choose = async (hand: Hand, of: AppointmentNow, entry: string) => {
        await hand.click(rowOf(page, of).getByRole('button', { name: /^Actions for/ }));
        await hand.click(page.getByRole('menuitem', { name: entry }));
      };
      await day.task('plan a follow-up in two weeks', async (hand) => {
        await choose(hand, later, 'Follow up');
        const dialog = page.getByRole('dialog', { name: 'New task' });
        await expect(dialog.getByRole('button', { name: 'In two weeks' })).toHaveAttribute('aria-pressed', 'true');
        await hand.click(dialog.getByRole('button', { name: 'Create task' }));
        await expect(page.getByText('Task created')).toBeVisible();
      });

      await day.task('move to another practitioner', async (hand) => {
        await choose(hand, later, 'Move appointment');
        const dialog = page.getByRole('dialog', { name: 'Move the appointment' });
        await hand.click(dialog.getByLabel('With'));
        await hand.click(page.getByRole('option', { selected: false }).first());
        await hand.click(
          dialog
            .getByRole('radiogroup', { name: /^Times on/ })
            .getByRole('radio')
            .last(),
        );
        await hand.click(dialog.getByRole('button', { name: 'Move appointment' }));
        await expect(page.getByText('Appointment moved')).toBeVisible();
      });

      await day.task('note a no-show', async (hand) => {
        const row = page
          .getByRole('region', { name: 'Did they come?' })
          .getByRole('listitem')
          .filter({ hasText: patientName(missed.patient) });
        await hand.click(row.getByRole('button', { name: 'Did not come' }));
        await expect(page.getByText('Noted that the patient did not come')).toBeVisible();
      });

      const [moved] = await api.appointmentsOf(later.patient.id);
      expect(moved).toMatchObject({ id: later.appointment.id });
      expect(moved?.calendar_id).not.toBe(later.appointment.calendar_id);
      day.finish();
    });

    test('an admin’s tasks keep their budget of clicks and fields', { tag: '@prove' }, async ({
      page,
      signIn,
      api,
    }) => {
      const last_name = `Example ${randomSuffix()}`;
      const kept = await createNamed(api, { last_name, external_id: `MRN-${randomSuffix()}` });
      const other = await createNamed(api, { first_name: 'Renee', last_name, birth_date: '1984-02-29' });
      await signIn('admin');
      const day = createDay(page, device);

      const plan = `Evening care ${randomSuffix()}`;
      await day.task('make a plan', async (hand) => {
        if (device === 'phone') await hand.click(page.getByRole('button', { name: 'More', exact: true }));
        const menu = page.getByRole('navigation', { name: 'Main' });
        await hand.click(menu.getByRole('link', { name: 'Plans' }));
        await hand.click(page.getByRole('button', { name: 'New plan' }));
        const dialog = page.getByRole('dialog', { name: 'New plan' });
        await hand.write(dialog.getByLabel('Name'), plan);
        await hand.write(dialog.getByLabel('Price in USD'), '39');
        await hand.click(dialog.getByRole('button', { name: 'Make plan' }));
        await expect(planRow(page, plan)).toContainText('$39.00 per month');
      });

      await day.task('merge a duplicate', async (hand) => {
        await search(page, hand, last_name, patientName(kept));
        await hand.click(page.getByRole('button', { name: 'More actions' }));
        await hand.click(page.getByRole('menuitem', { name: 'Merge with another record' }));
        await hand.write(page.getByRole('combobox', { name: 'Choose the other record' }), last_name);
        await hand.click(page.getByRole('option', { name: patientName(other) }));
        await hand.click(page.getByRole('main').getByRole('button', { name: 'Merge records' }));
        await hand.click(page.getByRole('alertdialog').getByRole('button', { name: 'Merge records' }));
        await expect(page.getByText('The records were merged')).toBeVisible();
      });

      expect(await api.call(`/patients/${other.id}`)).toMatchObject({ merged_into: kept.id });
      await archivePlan(page, plan);
      day.finish();
    });
  });
