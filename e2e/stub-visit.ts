import type { Page } from '@playwright/test';
import type { VisitView } from '#contract/visits.ts';
import type { FormCase } from './form-case.ts';

/** Changes the visit in the page's response, such as its time. */
export const stubVisit = (page: Page, change: (visit: VisitView) => Partial<VisitView>) =>
  page.route('**/api/links/visits.open', async (route) => {
    const response = await route.fetch();
    const visit: VisitView = await response.json();
    await route.fulfill({ response, json: { ...visit, ...change(visit) } });
  });

/** The form before the room of a visit, where the clinic requires more than the link. */
export const VISIT_CHECK_FORM: Omit<FormCase, 'file'> = {
  open: async (page, api) => {
    const appointment = await api.book((await api.createPatient()).id);
    await stubVisit(page, ({ opens_at }) => ({ now: opens_at, asks: ['date_of_birth'] }));
    await page.goto(appointment.video_call_url);
    return page.getByRole('main');
  },
  submit: 'Go to the waiting room',
  valid: { 'Your date of birth': '1980-05-04' },
  call: 'visits.enter',
};
