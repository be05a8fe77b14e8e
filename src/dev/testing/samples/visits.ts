import { byPatient, type Offer, object, open, type Sample } from './sample.ts';

const appointment = (rest: string) => object(({ appointmentId }) => `/appointments/${appointmentId}${rest}`);
const message = (rest: string) =>
  object(({ appointmentId, messageId }) => `/appointments/${appointmentId}/messages/${messageId}${rest}`);
const unmatched = (rest: string) => object(({ unmatchedId }) => `/appointments/unmatched/${unmatchedId}${rest}`, {});

/** Requests for appointments and availability. */
export function visitSamples(offer: Offer): Record<string, Sample> {
  const tomorrow = offer.times[0]?.from_date.slice(0, 10);
  return {
    'GET /appointment_types': open('/appointment_types'),
    'GET /appointments/types': open('/appointments/types'),
    'GET /calendars': open('/calendars'),
    'GET /practitioners': open('/practitioners'),
    'GET /practitioners/{id}': {
      kind: 'object',
      request: ({ practitionerId }) => ({ path: `/practitioners/${practitionerId}` }),
    },
    'GET /availability': open(`/availability?appointment_type_id=${offer.typeId}&from_date=${tomorrow}`),
    'GET /availability/next': open(`/availability/next?appointment_type_id=${offer.typeId}`),
    'GET /availability/explain': open(
      `/availability/explain?appointment_type_id=${offer.typeId}&from_date=${tomorrow}T08:00:00Z`,
    ),
    'GET /appointments': byPatient('/appointments'),
    'POST /appointments': {
      kind: 'create',
      request: ({ patientId }, time) => ({
        path: '/appointments',
        body: { patient_id: patientId, appointment_type_id: offer.typeId, ...time },
      }),
    },
    'GET /appointments/unmatched': open('/appointments/unmatched'),
    'POST /appointments/unmatched/{id}/attach': {
      kind: 'object',
      request: ({ patientId, unmatchedId }) => ({
        path: `/appointments/unmatched/${unmatchedId}/attach`,
        body: { patient_id: patientId },
      }),
      meets: 'conflict',
    },
    'POST /appointments/unmatched/{id}/create_patient': { ...unmatched('/create_patient'), meets: 'conflict' },
    'POST /appointments/unmatched/{id}/ignore': unmatched('/ignore'),
    'POST /appointments/unmatched/{id}/restore': unmatched('/restore'),
    'GET /appointments/{id}': appointment(''),
    'GET /appointments/{id}/note': appointment('/note'),
    'PATCH /appointments/{id}/note': {
      kind: 'object',
      request: ({ appointmentId }) => ({
        path: `/appointments/${appointmentId}/note`,
        body: { note: 'Bring the X-ray.' },
      }),
    },
    'GET /appointments/{id}/messages': appointment('/messages'),
    // The message was sent, and can be sent again.
    'POST /appointments/{id}/messages/{message_id}/send': message('/send'),
    'POST /appointments/{id}/messages/{message_id}/skip': { ...message('/skip'), meets: 'conflict' },
    'POST /appointments/{id}/cancel': { ...appointment('/cancel'), consumes: true },
    'GET /appointments/{id}/visit_link': appointment('/visit_link'),
    // The target's appointment is in the future.
    'POST /appointments/{id}/check_in': { ...appointment('/check_in'), meets: 'too_early' },
    'POST /appointments/{id}/complete': { ...appointment('/complete'), meets: 'too_early' },
    'POST /appointments/{id}/unmark': {
      kind: 'object',
      request: ({ appointmentId }) => ({ path: `/appointments/${appointmentId}/unmark`, body: { mark: 'checked_in' } }),
    },
    'POST /appointments/{id}/no_show': { ...appointment('/no_show'), meets: 'too_early' },
    'POST /appointments/{id}/reschedule': {
      kind: 'object',
      request: ({ appointmentId }, { from_date }) => ({
        path: `/appointments/${appointmentId}/reschedule`,
        body: { from_date },
      }),
      consumes: true,
    },
  };
}
