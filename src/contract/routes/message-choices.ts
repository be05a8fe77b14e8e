import { MessageChoicesInput, MessageChoicesView, NoteChoiceInput } from '../message-choices.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Patients' };

export const MESSAGE_CHOICE_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/patients/{id}/message_choices',
    procedure: 'messageChoices.get',
    summary: 'Read whether a patient gets reminders, by email and by text, and what they said about it',
    input: MessageChoicesInput,
    output: MessageChoicesView,
    scope: 'patients:read',
    patient: true,
  },
  {
    ...tag,
    method: 'PATCH',
    path: '/patients/{id}/message_choices',
    procedure: 'messageChoices.note',
    summary: 'Note that a patient wants reminders one way, or none',
    input: NoteChoiceInput,
    output: MessageChoicesView,
    scope: 'patients:write',
    patient: true,
  },
];
