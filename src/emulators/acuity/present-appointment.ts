import type { Call } from './call.ts';
import type { Account, Appointment } from './state.ts';
import { formatInstant, formatLongDate, formatWallClock, HOUR_MS } from './zone.ts';

/**
 * Renders an appointment in Acuity's shape. `date`, `time`, `endTime` and `datetime` are in the calendar's time zone,
 * `datetimeCreated` in the business's. `duration` is a string here, although it is a number in appointment types.
 */
export function presentAppointment(call: Call, appointment: Appointment, withForms = true) {
  const { account, world } = call;
  const calendar = account.calendars.find(({ id }) => id === appointment.calendarId);
  const type = account.types.find(({ id }) => id === appointment.typeId);
  const zone = calendar?.timezone || account.timezone;
  const forms = withForms ? presentForms(account, appointment) : [];
  return {
    id: appointment.id,
    firstName: appointment.firstName,
    lastName: appointment.lastName,
    phone: appointment.phone,
    email: appointment.email,
    date: formatLongDate(appointment.startAt, zone),
    time: formatWallClock(appointment.startAt, zone),
    endTime: formatWallClock(appointment.endAt, zone),
    dateCreated: formatLongDate(appointment.createdAt, account.timezone),
    datetimeCreated: formatInstant(appointment.createdAt, account.timezone),
    datetime: formatInstant(appointment.startAt, zone),
    price: appointment.price,
    // A certificate has already paid for the appointment.
    priceSold: appointment.certificate ? '0.00' : appointment.price,
    paid: appointment.certificate ? 'yes' : 'no',
    amountPaid: '0.00',
    type: appointment.typeName,
    appointmentTypeID: appointment.typeId,
    classID: appointment.classId,
    addonIDs: appointment.addonIDs,
    category: type?.category ?? '',
    duration: String(appointment.duration),
    calendar: calendar?.name ?? '',
    calendarID: appointment.calendarId,
    subCalendarID: calendar?.subCalendarID ?? null,
    certificate: appointment.certificate,
    confirmationPage: `${world.baseUrl}/schedule.php?owner=${account.userId}&action=appt&id%5B%5D=${appointment.hash}`,
    formsText: formsText(forms),
    location: calendar?.location ?? '',
    notes: appointment.notes,
    timezone: appointment.timezone,
    calendarTimezone: zone,
    canceled: appointment.canceled,
    canClientCancel: clientMayChange(call, appointment, account.limits.clientsMayCancel),
    canClientReschedule: clientMayChange(call, appointment, account.limits.clientsMayReschedule),
    labels: appointment.labelIDs.length ? account.labels.filter(({ id }) => appointment.labelIDs.includes(id)) : null,
    forms,
    scheduledBy: appointment.scheduledBy,
    isVerified: appointment.isVerified,
    ...(appointment.canceled && { noShow: appointment.noShow }),
  };
}

const clientMayChange = ({ account, now }: Call, { canceled, startAt }: Appointment, allowed: boolean) =>
  allowed && !canceled && startAt - now >= account.limits.minHoursToChange * HOUR_MS;

type PresentedForm = ReturnType<typeof presentForms>[number];

/** Includes only forms with an answer, their values in the form's order. */
function presentForms(account: Account, { answers }: Appointment) {
  return account.forms
    .map(({ id, name, fields }) => ({
      id,
      name,
      values: fields.flatMap((field) =>
        answers
          .filter(({ fieldID }) => fieldID === field.id)
          .map((answer) => ({ id: answer.id, fieldID: field.id, name: field.name, value: answer.value })),
      ),
    }))
    .filter(({ values }) => values.length > 0);
}

const formsText = (forms: PresentedForm[]) =>
  forms
    .map(({ name, values }) => {
      const lines = values.map((value) => `${value.name}: ${value.value}`);
      return [name, '============', ...lines, ''].join('\n');
    })
    .join('\n');
