import { z } from 'zod';
import { ListVisitMessagesInput, VisitMessageInput, VisitMessageView } from '../visit-messages.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Scheduling' };

/** What a patient is sent of an appointment. */
export const VISIT_MESSAGE_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/appointments/{id}/messages',
    procedure: 'visitMessages.list',
    summary: 'List what is to be sent to the patient of an appointment and what was, as it is due',
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
    procedure: 'visitMessages.skip',
    does: ['visit_messages.skip'],
    summary: 'Keep a planned message from being sent',
    input: VisitMessageInput,
    output: VisitMessageView,
    scope: 'appointments:write',
    patient: false,
  },
  {
    ...tag,
    method: 'POST',
    path: '/appointments/{id}/messages/{message_id}/send',
    procedure: 'visitMessages.sendAgain',
    does: ['visit_messages.send_again'],
    summary: 'Send again, now, what was sent, failed or was not to be sent',
    input: VisitMessageInput,
    output: VisitMessageView,
    scope: 'appointments:write',
    patient: false,
  },
];
