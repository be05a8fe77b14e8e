import type { Finding } from '#contract/settings.ts';
import type { AcuityCalendar, AcuityForm, AcuityType } from '#server/providers/acuity.ts';
import { locationField } from './location-field.ts';

export type AcuitySettings = { types: AcuityType[]; calendars: AcuityCalendar[]; forms: AcuityForm[] };

/** What an administrator should put right in Acuity's own settings, in sentences. */
export function findAcuityFaults({ types, calendars, forms }: AcuitySettings): Finding[] {
  const findings: Finding[] = [];
  const offered = types.filter(({ bookable }) => bookable);
  for (const type of offered)
    if (locationField(forms, type.id) === null)
      findings.push({
        code: 'location_form_missing',
        message: `"${type.name}" cannot be booked: attach the internal form "Location" with the question "Location" to it.`,
      });
  if (forms.some((form) => form.name === 'Location' && !form.internal))
    findings.push({
      code: 'location_form_not_internal',
      message: 'The form "Location" is shown to clients; make it an internal form.',
    });
  for (const calendar of calendars) {
    if (calendar.emails.length === 0)
      findings.push({
        code: 'calendar_without_email',
        message: `The calendar "${calendar.name}" has no notification email, so it belongs to no practitioner here.`,
      });
    if (!offered.some(({ calendarIds }) => calendarIds.includes(calendar.id)))
      findings.push({ code: 'calendar_without_type', message: `No appointment type uses "${calendar.name}".` });
  }
  if (offered.length === 0)
    findings.push({
      code: 'no_appointment_types',
      message: 'There is no active appointment type, so nothing is free.',
    });
  return findings;
}
