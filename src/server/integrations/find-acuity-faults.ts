import type { Finding } from '#contract/integrations.ts';
import { type AcuityForm, LOCATION, locationField } from '#server/providers/acuity-shapes.ts';
import type { ProviderAppointmentType, ProviderCalendar } from '#server/providers/scheduling-provider.ts';
import type { LinkTo } from './acuity-links.ts';
import { calendarFindings } from './calendar-findings.ts';
import { locationFindings } from './location-findings.ts';

export type AcuitySettings = {
  types: ProviderAppointmentType[];
  calendars: ProviderCalendar[];
  forms: AcuityForm[];
  /** Lower-case email addresses of the portal's staff users. */
  signIns: Set<string>;
};

/** Returns what an admin should fix in Acuity's settings: one finding per cause. */
export function findAcuityFaults(settings: AcuitySettings, linkTo: LinkTo): Finding[] {
  const { types, calendars, forms, signIns } = settings;
  const offered = types.filter((type) => type.offered);
  return [
    ...typeFindings(offered, linkTo),
    ...calendarFindings({ offered, calendars, signIns }, linkTo),
    // Types can lack a form only once a type is offered.
    ...(offered.length > 0 ? locationFindings(offered, forms, linkTo) : []),
    ...questionFindings(offered, forms, linkTo),
  ];
}

/** True when anything can be booked: a type with the Location question, on a calendar with a time zone. */
export const isBookable = ({ types, calendars, forms }: Omit<AcuitySettings, 'signIns'>): boolean =>
  types.some(
    ({ id, bookable, calendarIds }) =>
      bookable &&
      locationField(forms, id) !== null &&
      !forms.some((form) => form.typeIds.includes(id) && requiredOf(form).length > 0) &&
      calendars.some((calendar) => calendar.timeZone !== '' && calendarIds.includes(calendar.id)),
  );

function typeFindings(offered: ProviderAppointmentType[], linkTo: LinkTo): Finding[] {
  const link = linkTo('types');
  if (offered.length === 0)
    return [
      {
        code: 'no_appointment_types',
        message: 'There is no active appointment type, so nothing can be booked.',
        object: { type: 'Account', id: null, name: 'Appointment Types' },
        fix: 'In Acuity, add a service under Appointment Types, or make one active again.',
        link,
      },
    ];
  return offered.flatMap((type) => {
    const object = { type: 'AppointmentType' as const, id: String(type.id), name: type.name };
    const findings: Finding[] = [];
    if (type.name === '')
      findings.push({
        code: 'type_without_name',
        message: `The appointment type ${type.id} has no name, so it is not offered here.`,
        object,
        fix: 'In Acuity, give it a name under Appointment Types.',
        link,
      });
    if (type.durationMinutes === 0)
      findings.push({
        code: 'type_without_duration',
        message: `${type.name ? `"${type.name}"` : `The appointment type ${type.id}`} does not say how long it takes, so it is not offered here.`,
        object,
        fix: 'In Acuity, give its duration in minutes under Appointment Types.',
        link,
      });
    return findings;
  });
}

/** Bookings are made as a client would, and only the Location question can be answered. */
const requiredOf = ({ name, internal, fields }: AcuityForm) =>
  name === LOCATION || internal ? [] : fields.filter((field) => field.required);

function questionFindings(offered: ProviderAppointmentType[], forms: AcuityForm[], linkTo: LinkTo): Finding[] {
  return forms.flatMap((form) => {
    const required = requiredOf(form);
    const types = offered.filter(({ id }) => form.typeIds.includes(id));
    if (required.length === 0 || types.length === 0) return [];
    const questions = required.map(({ name }) => `"${name}"`).join(', ');
    const names = types.map(({ name }) => `"${name}"`).join(', ');
    return {
      code: 'form_with_required_question',
      message: `The form "${form.name}" demands an answer (${questions}), which is not asked for here: ${names} cannot be booked.`,
      object: { type: 'Form' as const, id: String(form.id), name: form.name },
      fix: `In Acuity, make its questions optional, make it an internal form, or detach it from ${names}.`,
      link: linkTo('forms'),
    };
  });
}
