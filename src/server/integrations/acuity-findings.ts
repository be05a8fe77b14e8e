import type { Finding } from '#contract/integrations.ts';
import type { Config } from '#server/core/config.ts';
import { type AcuityForm, LOCATION, locationField } from '#server/providers/acuity-shapes.ts';
import type { ProviderAppointmentType, ProviderCalendar } from '#server/providers/scheduling-provider.ts';

type Calendars = { offered: ProviderAppointmentType[]; calendars: ProviderCalendar[]; signIns: Set<string> };

const TEAM = { label: 'Open Team', url: '/settings/team' };
const quoted = (calendars: ProviderCalendar[]): string => calendars.map(({ name }) => `"${name}"`).join(' and ');

/** Problems of calendars: their practitioner, their time zone, and the types offered on them. */
function calendarFindings({ offered, calendars, signIns }: Calendars, linkTo: LinkTo): Finding[] {
  const link = linkTo('calendars');
  if (calendars.length === 0)
    return [
      {
        code: 'no_calendars',
        message: 'There is no calendar, so nothing can be booked.',
        object: { type: 'Account', id: null, name: 'Availability' },
        fix: 'In Acuity, add a calendar for each practitioner under Availability.',
        link,
      },
    ];
  return [...calendars.flatMap((calendar) => findingsOf(calendar)), ...shared()];

  function findingsOf(calendar: ProviderCalendar): Finding[] {
    const { id, name, emails, timeZone } = calendar;
    const object = { type: 'Calendar' as const, id: String(id), name };
    const findings: Finding[] = [];
    if (timeZone === '')
      findings.push({
        code: 'calendar_without_time_zone',
        message: `The calendar "${name}" has no time zone, or one that does not exist, so none of its times are offered.`,
        object,
        fix: 'In Acuity, choose its time zone under Availability.',
        link,
      });
    if (emails.length === 0)
      findings.push({
        code: 'calendar_without_email',
        message: `The calendar "${name}" has no notification email, so it belongs to no practitioner here.`,
        object,
        fix: 'In Acuity, give the calendar the email with which its practitioner signs in here.',
        link,
      });
    else if (!emails.some((email) => signIns.has(email)))
      findings.push({
        code: 'calendar_email_unknown',
        message: `No staff user signs in here with ${emails.join(' or ')}, the email of the calendar "${name}", so its appointments belong to no practitioner.`,
        object,
        fix: 'Invite the practitioner with that email under Team, or change the calendar’s email in Acuity.',
        link: TEAM,
      });
    // When nothing is offered at all, that is the finding.
    if (offered.length > 0 && !offered.some(({ calendarIds }) => calendarIds.includes(id)))
      findings.push({
        code: 'calendar_without_type',
        message: `No appointment type is offered on the calendar "${name}".`,
        object,
        fix: `In Acuity, open an appointment type and tick "${name}" among its calendars.`,
        link: linkTo('types'),
      });
    return findings;
  }

  /** One finding per shared address, on the last of its calendars: the one that should get another address. */
  function shared(): Finding[] {
    const emails = [...new Set(calendars.flatMap((calendar) => calendar.emails))];
    const groups = emails
      .map((email) => ({ email, own: calendars.filter((calendar) => calendar.emails.includes(email)) }))
      .filter(({ own }) => own.length > 1);
    const reported = new Set<string>();
    return groups.flatMap(({ email, own }) => {
      const key = own.map(({ id }) => id).join();
      const last = own.at(-1);
      if (!last || reported.has(key)) return [];
      reported.add(key);
      return {
        code: 'calendars_share_email',
        message: `The calendars ${quoted(own)} have the same email (${email}): both count as one practitioner’s, who could be booked twice at a time.`,
        object: { type: 'Calendar' as const, id: String(last.id), name: last.name },
        fix: 'In Acuity, give each calendar the email of its own practitioner, or keep one of them.',
        link,
      };
    });
  }
}

export type AcuitySettings = {
  types: ProviderAppointmentType[];
  calendars: ProviderCalendar[];
  forms: AcuityForm[];
  /** Lower-case email addresses of the portal's staff users. */
  signIns: Set<string>;
};

/** Returns what an admin should fix in Acuity's settings: one finding per cause. */
export function acuityFindings(settings: AcuitySettings, linkTo: LinkTo): Finding[] {
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
      message: `The form "${form.name}" requires an answer (${questions}) that is not asked for here: ${names} cannot be booked.`,
      object: { type: 'Form' as const, id: String(form.id), name: form.name },
      fix: `In Acuity, make its questions optional, make it an internal form, or detach it from ${names}.`,
      link: linkTo('forms'),
    };
  });
}

/** The field types that accept text. */
const TEXT_TYPES = ['textbox', 'textarea'];
const isAlmost = (name: string): boolean => name.trim().toLowerCase() === LOCATION.toLowerCase();
const objectOf = ({ id, name }: AcuityForm): Finding['object'] => ({ type: 'Form', id: String(id), name });

/**
 * Findings that prevent an appointment's location from being written into the internal form "Location" at Acuity. A
 * problem of a form is one finding for all its types; a type is named only when it alone lacks the form.
 */
function locationFindings(offered: ProviderAppointmentType[], forms: AcuityForm[], linkTo: LinkTo): Finding[] {
  const link = linkTo('forms');
  const named = forms.filter(({ name }) => name === LOCATION);
  if (named.length === 0) return [withoutForm(forms, link)];
  const relevant = named.filter(({ typeIds }) => offered.some(({ id }) => typeIds.includes(id)));
  const attached = new Set(named.flatMap(({ typeIds }) => typeIds));
  return [
    ...(relevant.length > 0 ? relevant : named.slice(0, 1)).flatMap((form) => formFindings(form, link)),
    ...offered
      .filter(({ id }) => !attached.has(id))
      .map(({ id, name }) => ({
        code: 'location_form_not_attached',
        message: `"${name}" cannot be booked here: the form "Location" is not attached to it.`,
        object: { type: 'AppointmentType' as const, id: String(id), name },
        fix: `In Acuity, open the form "Location" under Intake Form Questions and tick "${name}".`,
        link,
      })),
  ];
}

function withoutForm(forms: AcuityForm[], link: Finding['link']): Finding {
  const almost = forms.find(({ name }) => isAlmost(name));
  const missing = 'Nothing can be booked here: in Acuity there is no form named exactly "Location".';
  return {
    code: 'location_form_missing',
    message: almost ? `${missing} There is one named "${almost.name}".` : missing,
    object: almost ? objectOf(almost) : { type: 'Form', id: null, name: LOCATION },
    fix: almost
      ? `In Acuity, rename the form "${almost.name}" to Location, with a capital L and nothing else.`
      : 'In Acuity, add an internal form named Location under Intake Form Questions, with one text question named Location, and attach it to every appointment type.',
    link,
  };
}

function formFindings(form: AcuityForm, link: Finding['link']): Finding[] {
  const object = objectOf(form);
  const findings: Finding[] = [];
  if (!form.internal)
    findings.push({
      code: 'location_form_not_internal',
      message:
        'The form "Location" is shown to clients on Acuity’s booking page, where they could write a place of their own.',
      object,
      fix: 'In Acuity, open the form "Location" and make it an internal form, for staff alone.',
      link,
    });
  const question = form.fields.find(({ name }) => name === LOCATION);
  const almost = form.fields.find(({ name }) => isAlmost(name));
  if (!question && almost)
    findings.push({
      code: 'location_question_misnamed',
      message: `In the form "Location" the question is named "${almost.name}", not exactly "Location": appointment types that use it cannot be booked here.`,
      object,
      fix: 'In Acuity, open the form "Location" and rename its question to Location, with a capital L and nothing else.',
      link,
    });
  else if (!question)
    findings.push({
      code: 'location_question_missing',
      message:
        'The form "Location" has no question named "Location": appointment types that use it cannot be booked here.',
      object,
      fix: 'In Acuity, open the form "Location" and add a text question named Location.',
      link,
    });
  else if (!TEXT_TYPES.includes(question.type))
    findings.push({
      code: 'location_question_wrong_type',
      message: 'The question "Location" does not take text, so an appointment’s link cannot be written into it.',
      object,
      fix: 'In Acuity, open the form "Location" and make its question a text box.',
      link,
    });
  return findings;
}

/** Sections of Acuity's settings, by their anchor on the emulator's page. */
type AcuityPart = 'account' | 'calendars' | 'types' | 'forms' | 'webhooks';
export type LinkTo = (part: AcuityPart) => NonNullable<Finding['link']>;

const ACUITY = 'https://secure.acuityscheduling.com/';
/** The only settings page whose address Acuity publishes. */
const API_CREDENTIALS = `${ACUITY}app.php?key=api&action=settings`;

/** Links to the place where a finding is fixed: in Acuity, or on the emulator's page. */
export const acuityLinks =
  ({ acuity }: Pick<Config, 'acuity'>, accountId: string): LinkTo =>
  (part) => {
    if (acuity.emulatorUrl)
      return { label: 'Open the sandbox’s Acuity', url: `${acuity.emulatorUrl}/console/${accountId}#${part}` };
    return part === 'account'
      ? { label: 'Open API credentials in Acuity', url: API_CREDENTIALS }
      : { label: 'Open Acuity', url: ACUITY };
  };
