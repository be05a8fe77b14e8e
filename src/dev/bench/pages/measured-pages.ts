import type { Figures, Goal, Job } from '../job.ts';
import { measurePage } from './measure-page.ts';
import { openClinic } from './open-clinic.ts';
import { pageRoutes } from './page-routes.ts';

/** Patients open links from emails on their phone. */
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };

/** The calendar alone loads the calendar component. */
const CALENDAR = '/calendar';

const LISTS = ['/patients', '/appointments', '/subscriptions', '/practitioners', '/plans'];

const worst = (figure: string, words: string, most: number, except?: string): Goal => ({
  words: `${words} on any page, at most ${most}`,
  of: (medians: Record<string, Figures>) =>
    Math.max(...Object.entries(medians).map(([page, figures]) => (page === except ? 0 : figures[figure]!))),
  holds: (value) => value <= most,
});

/** The script size and loading behaviour of every page, for staff and for patients. */
export const measuredPages: Job = {
  id: 'P10',
  title: 'every page, opened for the first time; staff’s on a wide screen, the others on a phone',
  // Loading a page takes long, and script sizes do not vary.
  mostRepeats: 2,
  async prepare() {
    const { browser, session, origin, addressOf, stop } = await openClinic();
    try {
      const sides = [];
      for (const { route, isStaffs } of pageRoutes()) {
        const address = origin + (await addressOf(route));
        const options = isStaffs ? { viewport: WIDE, storageState: session } : { viewport: NARROW, isMobile: true };
        sides.push({ name: route, measure: () => measurePage(browser, address, options) });
      }
      return {
        sides,
        goals: [
          // Staff pages exceed a smaller limit: React and Next's runtime are about 130 kB, and these pages add tRPC and
          // react-query.
          worst('JS kB', 'kB of JavaScript, compressed, but for the calendar,', 170, CALENDAR),
          {
            words: 'kB of JavaScript, compressed, on the calendar, at most 240',
            of: (medians: Record<string, Figures>) => medians[CALENDAR]?.['JS kB'] ?? 0,
            holds: (value) => value <= 240,
          },
          {
            words: 'requests of a list, at most 25',
            of: (medians: Record<string, Figures>) => Math.max(...LISTS.map((page) => medians[page]?.requests ?? 0)),
            holds: (value) => value <= 25,
          },
          worst('CLS', 'layout shift', 0.02),
          worst('LCP ms', 'ms to the largest paint', 1000),
        ],
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
