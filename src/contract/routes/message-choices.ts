import { MessageChoicesInput, MessageChoicesView, RecordChoiceInput } from '../message-choices.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Patients' };

export const MESSAGE_CHOICE_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/patients/{id}/message_choices',
    procedure: 'messageChoices.get',
    summary: "Get whether a patient receives reminders, by email and by text message, and the patient's choices",
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
    summary: 'Note whether a patient wants reminders on one channel',
    input: RecordChoiceInput,
    output: MessageChoicesView,
    scope: 'patients:write',
    patient: true,
  },
];
