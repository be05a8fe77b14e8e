const KEY = 'trial_period_in_days';
const MAX_DAYS = 730;

/** Returns the trial in a price's metadata: whole days from 1 to 730. Any other value is no trial, and `malformed`. */
export function trialDays(metadata: Record<string, string>): { days: number | null; malformed: boolean } {
  const value = metadata[KEY]?.trim();
  if (value === undefined || value === '') return { days: null, malformed: false };
  const days = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  return days >= 1 && days <= MAX_DAYS ? { days, malformed: false } : { days: null, malformed: true };
}
