import { z } from 'zod';
import { ListVisitMessagesInput, VisitMessageInput, VisitMessageView } from '../visit-messages.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Scheduling' };

/** Messages to the patient about an appointment. */
export const VISIT_MESSAGE_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/appointments/{id}/messages',
    procedure: 'appointmentMessages.list',
    summary: 'List planned and sent messages about an appointment to its patient, in order of their due time',
    input: ListVisitMessagesInput,
    output: z.array(VisitMessageView),
    list: 'array',
    scope: 'appointments:read',
    patient: false,
  },
  {
    ...tag,
    method: 'POST',
    path: '/appointments/{id}/messages/{message_id}/skip',
    procedure: 'appointmentMessages.skip',
    does: ['appointment_messages.skip'],
    summary: 'Cancel a planned message',
    input: VisitMessageInput,
    output: VisitMessageView,
    scope: 'appointments:write',
    patient: false,
  },
  {
    ...tag,
    method: 'POST',
    path: '/appointments/{id}/messages/{message_id}/send',
    procedure: 'appointmentMessages.sendAgain',
    does: ['appointment_messages.send_again'],
    summary: 'Send a message again, immediately; also one that failed or was skipped',
    input: VisitMessageInput,
    output: VisitMessageView,
    scope: 'appointments:write',
    patient: false,
  },
];
