import type { ChartExport } from '#contract/timeline.ts';
import { createApiError } from '#web/ui/api-errors.ts';

export type Row = Record<string, unknown>;
export type ReadExport = { head: ChartExport; sections: { name: string; title: string; rows: Row[] }[] };

/** Titles of the export's sections, in print order. A section without a title is printed last. */
const TITLES: Record<string, string> = {
  patient: 'Record',
  phones: 'Phone numbers',
  addresses: 'Addresses',
  visits: 'Appointments',
  subscriptions: 'Subscriptions and payments',
  subscriptions_asked_for: 'Subscriptions asked for',
  payer: 'Known to the payment service as',
  payment_links: 'Payment links',
  sign_in_methods: 'Ways to sign in',
  devices: 'Known devices',
  sessions: 'Times signed in',
  sign_ups: 'Sign-ups',
  email_changes_asked_for: 'Email changes asked for',
  address_changes: 'Changed addresses and numbers',
  help_to_sign_in: 'Help with signing in',
  events: 'Events told to other systems',
  audit_log: 'Who has seen or changed it',
};

/** Label of a field name: `started_at` -> `Started at`. */
export function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Loads all stored data of a patient. Each call is an export that the audit log records. */
export async function readChartExport(id: string, signal?: AbortSignal): Promise<ReadExport> {
  const query = new URLSearchParams({ patient_id: id, format: 'page' });
  const response = await fetch(`/api/charts/export?${query}`, { cache: 'no-store', ...(signal && { signal }) });
  const body = (await response.json()) as ChartExport &
    Record<string, unknown> & { errors?: { code: string; people?: string }[] };
  if (!response.ok) {
    const [error] = body.errors ?? [];
    throw createApiError(error?.code ?? 'internal_error', error?.people ?? 'This could not be read. Try again.');
  }
  const names = Object.keys(body).filter((name) => Array.isArray(body[name]));
  const order = Object.keys(TITLES);
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return {
    head: body,
    sections: names
      .sort((a, b) => place(a) - place(b))
      .map((name) => ({ name, title: TITLES[name] ?? labelOf(name), rows: body[name] as Row[] })),
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Printable text of a value; null where it is empty. */
export function asText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(asText).filter(Boolean).join('; ') || null;
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const text = asText(inner);
    return text === null ? [] : [`${labelOf(name).toLowerCase()}: ${text}`];
  });
  return parts.join(', ') || null;
}
