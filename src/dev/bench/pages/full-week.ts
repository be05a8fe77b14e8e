import type { AppointmentView, CalendarView } from '#contract/scheduling.ts';
import type { Figures, Job } from '../job.ts';
import { type InteractionProbe, measurePage } from './measure-page.ts';
import { type Opened, openClinic } from './open-clinic.ts';

const VISITS = 300;
const [OPENS_AT, DAYS] = [13, 5];
/** A Monday in a year without other appointments. */
const MONDAY = '2028-03-06';
const WEEK = 'a week of 300 visits';
const VIEWPORT = { width: 1280, height: 800 };
/** The drag covers two columns and this many pixels down. */
const [STEPS, DOWN] = [60, 300];

/**
 * Inserts an appointment every half hour of five days: in the connected account, because others cannot be dragged, and
 * without Acuity's id, so that no reconciliation cancels them as unknown to Acuity.
 */
async function fill({ api }: Opened): Promise<void> {
  const { inServedDatabase } = await import('../../../../e2e/served-database.ts');
  const { id } = await api.book((await api.createPatient()).id);
  const visit = await api.call<AppointmentView>(`/appointments/${id}`);
  const calendars = await api.call<CalendarView[]>('/calendars');
  const eachDay = VISITS / DAYS / calendars.length;
  for (const calendar of calendars)
    await inServedDatabase(
      `insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
         start_at, end_at, time_zone, video_token, status, account_id, updated_at)
       select gen_random_uuid(), tenant_id, patient_id, appointment_type_id, appointment_type, $2, $3,
         at, at + interval '25 minutes', time_zone, gen_random_uuid(), 'scheduled', account_id, now()
       from appointments, generate_series(0, $5 - 1) as day, generate_series(0, $6 - 1) as half,
         lateral (select ($4::date + day) + interval '30 minutes' * half + make_interval(hours => $7) as wall) as clock,
         lateral (select wall at time zone 'UTC' as at) as instant
       where id = $1`,
      [visit.id, calendar.id, calendar.name, MONDAY, DAYS, eachDay, OPENS_AT],
    );
}

type Drawn = { drawnAt: number; longest: number };

/** Measures when all appointments are rendered, and the longest frame while one is dragged. */
const closer: InteractionProbe = {
  // Without named functions, like the page's own watch function.
  watch: () => {
    const seen: Drawn = { drawnAt: 0, longest: 0 };
    Object.assign(window, { drawn: seen });
    void (async () => {
      while (document.querySelectorAll('.visit-grid .ec-event').length < 300)
        await new Promise((done) => requestAnimationFrame(done));
      seen.drawnAt = performance.now();
    })();
  },
  isThere: (page) => page.waitForFunction(() => (window as unknown as { drawn: Drawn }).drawn.drawnAt > 0),
  async use(page): Promise<Figures> {
    const { x, y, width } = (await page.locator('.visit-grid .ec-event').first().boundingBox())!;
    const [left, top] = [x + width / 2, y + 8];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.evaluate(() => {
      const { drawn } = window as unknown as { drawn: Drawn };
      void (async () => {
        for (let last = performance.now(); ; last = performance.now()) {
          await new Promise((done) => requestAnimationFrame(done));
          drawn.longest = Math.max(drawn.longest, performance.now() - last);
        }
      })();
    });
    for (let step = 1; step <= STEPS; step += 1)
      await page.mouse.move(left + (2 * width * step) / STEPS, top + (DOWN * step) / STEPS);
    const { drawnAt, longest } = await page.evaluate(() => (window as unknown as { drawn: Drawn }).drawn);
    if ((await page.locator('.visit-grid .ec-ghost').count()) === 0) throw new Error('nothing was dragged');
    return { 'drawn ms': drawnAt, 'longest frame ms': longest };
  },
};

const most = (figure: string, words: string, value: number) => ({
  words: `${words} with ${VISITS} visits a week, at most ${value}`,
  of: (medians: Record<string, Figures>) => medians[WEEK]![figure]!,
  holds: (found: number) => found <= value,
});

/** The calendar of a practice with several practitioners. */
export const fullWeek: Job = {
  id: 'P14',
  title: 'the calendar with 300 visits a week, opened for the first time, and one of them dragged',
  mostRepeats: 3,
  async prepare() {
    const clinic = await openClinic();
    try {
      await fill(clinic);
      const { browser, session, origin, stop } = clinic;
      const url = `${origin}/calendar?view=week&day=${MONDAY}`;
      const options = { viewport: VIEWPORT, storageState: session, timezoneId: 'America/New_York' };
      return {
        sides: [{ name: WEEK, measure: () => measurePage(browser, url, options, closer) }],
        goals: [
          most('LCP ms', 'ms to the largest paint', 1000),
          most('longest frame ms', 'ms of a frame while a visit is dragged', 50),
          most('CLS', 'layout shift', 0.02),
          most('JS kB', 'kB of JavaScript, compressed,', 240),
        ],
        stop,
      };
    } catch (error) {
      await clinic.stop();
      throw error;
    }
  },
};
