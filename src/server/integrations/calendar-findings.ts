import type { Finding } from '#contract/integrations.ts';
import type { ProviderAppointmentType, ProviderCalendar } from '#server/providers/scheduling-provider.ts';
import type { LinkTo } from './acuity-links.ts';

type Calendars = { offered: ProviderAppointmentType[]; calendars: ProviderCalendar[]; signIns: Set<string> };

const TEAM = { label: 'Open Team', url: '/settings/team' };
const quoted = (calendars: ProviderCalendar[]): string => calendars.map(({ name }) => `"${name}"`).join(' and ');

/** Problems of calendars: their practitioner, their time zone, and the types offered on them. */
export function calendarFindings({ offered, calendars, signIns }: Calendars, linkTo: LinkTo): Finding[] {
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
  return [...calendars.flatMap((calendar) => faultsOf(calendar)), ...shared()];

  function faultsOf(calendar: ProviderCalendar): Finding[] {
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
        message: `No staff user signs in here with ${emails.join(' or ')}, the email of the calendar "${name}", so its visits belong to no practitioner.`,
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
    const told = new Set<string>();
    return groups.flatMap(({ email, own }) => {
      const key = own.map(({ id }) => id).join();
      const last = own.at(-1)!;
      if (told.has(key)) return [];
      told.add(key);
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
