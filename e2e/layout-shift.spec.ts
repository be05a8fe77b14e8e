import type { Page } from '@playwright/test';
import { PORTAL_HEADERS } from './api.ts';
import { bookAppointmentIn } from './appointment-now.ts';
import { blockLiveChanges, expect, test } from './fixtures.ts';
import { ASSERTS_SPEED } from './prove.ts';

/** Maximum layout shift while the page loads (Layout Instability, as browsers report it). */
const MAX_SHIFT = 0.02;

declare global {
  interface Window {
    layoutShift: number;
  }
}

async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.layoutShift = 0;
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as Shift[]) if (!shift.hadRecentInput) window.layoutShift += shift.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

async function expectNoShift(page: Page, width: number): Promise<void> {
  await page.waitForLoadState('networkidle');
  const layoutShift = await page.evaluate(() => window.layoutShift);
  test.info().annotations.push({ type: `${width} px`, description: layoutShift.toFixed(4) });
  if (ASSERTS_SPEED) expect.soft(layoutShift, `${width} px`).toBeLessThan(MAX_SHIFT);
}

test('a patient’s page does not shift while its sections load', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  for (const kind of ['paid', 'trial'] as const) await api.subscribe(patient.id, kind);
  await api.cancelAppointment((await api.book(patient.id)).id);
  for (let appointments = 0; appointments < 2; appointments++) await api.book(patient.id);
  await blockLiveChanges(page);
  await signIn('admin');
  for (const text of ['Prefers mornings', 'Called about the new dose.\n'.repeat(20)]) {
    const data = { patient_id: patient.id, text };
    const response = await page.request.post('/api/trpc/notes.create', { headers: PORTAL_HEADERS, data });
    expect(response.status()).toBe(200);
  }
  await watchShifts(page);
  for (const width of [390, 768, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/patients/${patient.id}`);
    await page.getByRole('region', { name: 'Notes' }).getByRole('listitem').first().waitFor();
    for (const name of [/^Appointments of/, /^Past and canceled/, /^Subscriptions of/])
      await page.getByRole('table', { name }).waitFor();
    await expectNoShift(page, width);
  }
});

test('Today does not shift while its cards load', { tag: '@prove' }, async ({ page, signIn, api }) => {
  await bookAppointmentIn(10, api);
  const task = { title: 'Call back', due_date: '2026-01-01', assignee_role: 'practitioner' };
  const tasks = await Promise.all(Array.from({ length: 5 }, () => api.call<{ id: string }>('/tasks', task)));
  await blockLiveChanges(page);
  await signIn('practitioner');
  await watchShifts(page);
  for (const width of [390, 768, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/');
    await page.getByRole('region', { name: 'My tasks' }).waitFor();
    await expectNoShift(page, width);
  }
  // They would come first on the Today pages of other tests.
  for (const { id } of tasks) {
    const data = { id, status: 'completed' };
    const response = await page.request.post('/api/trpc/tasks.update', { headers: PORTAL_HEADERS, data });
    expect(response.status()).toBe(200);
  }
});
