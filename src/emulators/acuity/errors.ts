import { ErrorReply } from '../core/route.ts';

const required = (name: string) => `Attribute "${name}" is required.`;

/**
 * The error codes and messages of the documented endpoints. Codes are from Acuity's API reference; messages
 * that it does not print are the emulator's, so clients must branch on `error`, never on `message`.
 */
const ERRORS = {
  bad_request: [400, (what = 'Expected a JSON object.') => what],
  unauthorized: [401, () => 'Unauthorized'],
  forbidden: [403, () => 'Forbidden'],
  not_found: [404, (what = 'Not Found.') => what],
  method_not_allowed: [405, () => 'Method not allowed.'],
  unprocessable_entity: [422, (what = 'Unprocessable Entity.') => what],
  too_many_requests: [429, () => 'Rate limit reached. Limit 10req/s and 20 concurrent connections.'],

  required_first_name: [400, () => required('firstName')],
  required_last_name: [400, () => required('lastName')],
  required_email: [400, () => required('email')],
  required_datetime: [400, () => required('datetime')],
  required_appointment_type_id: [400, () => required('appointmentTypeID')],
  invalid_name: [400, (field = '') => `Can not clear the field "${field}".`],
  invalid_email: [400, (email = '') => `The email "${email}" is not a valid email address.`],
  invalid_fields: [400, (id = '') => `The field "${id}" does not exist on this appointment.`],
  required_field: [400, (id = '') => `The field "${id}" is required.`],
  invalid_appointment_type: [400, (id = '') => `The appointment type "${id}" does not exist.`],
  invalid_calendar: [400, (id = '') => `The calendar "${id}" does not exist.`],
  invalid_timezone: [400, (zone = '') => `The timezone "${zone}" is invalid.`],
  invalid_datetime: [400, (text = '') => `The datetime "${text}" is invalid.`],
  invalid_certificate: [400, (code = '') => `The certificate "${code}" does not exist.`],
  expired_certificate: [400, (code = '') => `The certificate "${code}" has expired.`],
  certificate_uses: [400, (code = '') => `The certificate "${code}" has no uses left.`],
  invalid_certificate_type: [400, (code = '') => `The certificate "${code}" is not for this appointment type.`],
  no_available_calendar: [400, () => 'We could not find an available calendar.'],
  not_available: [400, (text = '') => `The time "${text}" is not an available time slot.`],
  not_available_min_hours_in_advance: [400, (text = '') => `The time "${text}" is too soon to be booked.`],
  not_available_max_days_in_advance: [400, (text = '') => `The time "${text}" is too far in the future to be booked.`],

  cancel_not_allowed: [400, () => 'This appointment can not be canceled.'],
  cancel_too_close: [400, () => 'This appointment is too close to be canceled.'],
  reschedule_not_allowed: [400, () => 'This appointment can not be rescheduled.'],
  reschedule_too_close: [400, () => 'This appointment is too close to be rescheduled.'],
  reschedule_series: [400, () => 'An appointment of a series can not be rescheduled.'],
  reschedule_canceled: [400, () => 'This appointment has been canceled and can not be rescheduled.'],

  client_not_found: [400, () => 'Client does not exist'],
  webhook_limit: [400, () => 'The limit of 25 webhooks has been reached.'],
} satisfies Record<string, [status: number, message: (subject?: string) => string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Builds an error in Acuity's shape; `subject` is inserted into the code's message. */
export function acuityError(code: ErrorCode, subject?: string): ErrorReply {
  const [status, message] = ERRORS[code];
  return new ErrorReply({ status, body: { status_code: status, message: message(subject), error: code } });
}
