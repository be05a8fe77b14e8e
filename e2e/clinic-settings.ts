import type { Page } from '@playwright/test';
import { PORTAL_HEADERS } from './api.ts';

/** Saved settings of a clinic, without the logo. */
export type ClinicSettings = { name: string; time_zone: string; colour: null };

/** Reads the settings; an admin must be signed in on the page. */
export async function readClinic(page: Page): Promise<ClinicSettings> {
  const response = await page.request.get('/api/trpc/clinic.get?input=%7B%7D', { headers: PORTAL_HEADERS });
  const { result } = (await response.json()) as { result: { data: ClinicSettings & { logo: unknown } } };
  const { logo: _, ...settings } = result.data;
  return settings;
}

export async function saveClinic(page: Page, settings: ClinicSettings): Promise<void> {
  const response = await page.request.post('/api/trpc/clinic.update', { headers: PORTAL_HEADERS, data: settings });
  if (!response.ok()) throw new Error(await response.text());
}
