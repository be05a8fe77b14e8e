import { type Call, newId } from './call.ts';
import { acuityError } from './errors.ts';
import { idOf, textOf, type Values } from './params.ts';
import type { Account, Answer, Form } from './state.ts';

const formsOf = (account: Account, typeId: number): Form[] =>
  account.forms.filter((form) => form.appointmentTypeIDs.includes(typeId));

/**
 * Reads `fields: [{id, value}]` for an appointment of this type. Accepts fields of internal (hidden) forms
 * from clients too: Acuity does not document its behavior, and the product must not depend on a rejection.
 */
export function readAnswers(call: Call, values: Values, typeId: number): Answer[] {
  const { fields } = values;
  if (fields === undefined || fields === null) return [];
  if (!Array.isArray(fields)) throw acuityError('bad_request', '"fields" must be a list.');
  const fieldIds = new Set(formsOf(call.account, typeId).flatMap((form) => form.fields.map(({ id }) => id)));
  return fields.map((field: Values) => {
    if (typeof field !== 'object' || field === null)
      throw acuityError('bad_request', '"fields" must be a list of objects.');
    const id = idOf(field, 'id');
    if (id === null || !fieldIds.has(id)) throw acuityError('invalid_fields', textOf(field, 'id'));
    return { id: newId(call), fieldID: id, value: toAnswerText(field) };
  });
}

/** Converts a value to the text that the API returns: a checked box is `yes`, several choices are joined with commas. */
function toAnswerText(field: Values): string {
  const { value } = field;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value)) return textOf(field, 'value');
  return value.map((_, index) => textOf(value as unknown as Values, String(index))).join(', ');
}

/**
 * Validates that every required field of a form visible to clients has a value.
 * @throws ErrorReply `required_field`
 */
export function requireAnswers(account: Account, typeId: number, answers: Answer[]): void {
  const visibleForms = formsOf(account, typeId).filter((form) => !form.hidden);
  const missing = visibleForms
    .flatMap((form) => form.fields)
    .find(({ id, required }) => required && !answers.some((answer) => answer.fieldID === id && answer.value !== ''));
  if (missing) throw acuityError('required_field', String(missing.id));
}

/** Replaces older answers to the same field with newer ones. */
export const mergeAnswers = (older: Answer[], newer: Answer[]): Answer[] => [
  ...older.filter(({ fieldID }) => !newer.some((answer) => answer.fieldID === fieldID)),
  ...newer,
];
