import { newId } from '#server/core/ids.ts';
import { byPatient, object, open, type Sample } from './sample.ts';

const patient = (rest: string, body?: unknown) => object(({ patientId }) => `/patients/${patientId}${rest}`, body);

/** Requests for patients. */
export const patientSamples: Record<string, Sample> = {
  'GET /patients': open('/patients'),
  'POST /patients': { kind: 'open', request: () => ({ path: '/patients', body: { first_name: 'Ada' } }) },
  'POST /patients/invite': {
    kind: 'open',
    request: () => ({ path: '/patients/invite', body: { email: `${newId()}@example.test` } }),
  },
  'GET /patients/me': { kind: 'self', request: () => ({ path: '/patients/me' }) },
  'GET /patients/{id}': patient(''),
  'PATCH /patients/{id}': patient('', { middle_name: 'Q' }),
  'POST /patients/{id}/invite': { ...patient('/invite', {}), consumes: true },
  'DELETE /patients/{id}/archive': { ...patient('/archive?end_care=true'), consumes: true },
  'POST /patients/{id}/unarchive': { ...patient('/unarchive', {}), consumes: true },
  'GET /tasks': byPatient('/tasks'),
  'POST /tasks': {
    kind: 'create',
    request: ({ patientId }) => ({ path: '/tasks', body: { title: 'Follow up', patient_id: patientId } }),
  },
  'GET /tasks/{id}': object(({ taskId }) => `/tasks/${taskId}`),
  'PATCH /tasks/{id}': object(({ taskId }) => `/tasks/${taskId}`, { due_date: '2030-02-28' }),
  'GET /patients/{id}/message_choices': patient('/message_choices'),
  'PATCH /patients/{id}/message_choices': patient('/message_choices', {
    channel: 'email',
    state: 'stopped',
    words: 'Said so at the desk',
  }),
};
