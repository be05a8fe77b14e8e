import { type Call, newId } from './call.ts';
import { refusal } from './errors.ts';
import { idOf, textOf, type Values } from './params.ts';
import type { Account, Answer, Form } from './state.ts';

const formsOf = (account: Account, typeId: number): Form[] =>
  account.forms.filter((form) => form.appointmentTypeIDs.includes(typeId));

/**
 * Reads `fields: [{id, value}]` for an appointment of this type. Fields of internal (hidden) forms are accepted from
 * clients too: whether the real service does so is not documented, and the product must not depend on the opposite.
 */
export function readAnswers(call: Call, values: Values, typeId: number): Answer[] {
  const { fields } = values;
  if (fields === undefined || fields === null) return [];
  if (!Array.isArray(fields)) throw refusal('bad_request', '"fields" must be a list.');
  const known = new Set(formsOf(call.account, typeId).flatMap((form) => form.fields.map(({ id }) => id)));
  return fields.map((field: Values) => {
    if (typeof field !== 'object' || field === null)
      throw refusal('bad_request', '"fields" must be a list of objects.');
    const id = idOf(field, 'id');
    if (id === null || !known.has(id)) throw refusal('invalid_fields', textOf(field, 'id'));
    return { id: newId(call), fieldID: id, value: answerOf(field) };
  });
}

/** Text on the wire whatever it was given as: a ticked box is `yes`, and several choices stand in one line. */
function answerOf(field: Values): string {
  const { value } = field;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value)) return textOf(field, 'value');
  return value.map((_, index) => textOf(value as unknown as Values, String(index))).join(', ');
}

/** Refuses when a required field that clients see is left empty. */
export function requireAnswers(account: Account, typeId: number, answers: Answer[]): void {
  const asked = formsOf(account, typeId).filter((form) => !form.hidden);
  const missing = asked
    .flatMap((form) => form.fields)
    .find(({ id, required }) => required && !answers.some((answer) => answer.fieldID === id && answer.value !== ''));
  if (missing) throw refusal('required_field', String(missing.id));
}

/** Newer answers take the place of older ones to the same field. */
export const mergeAnswers = (older: Answer[], newer: Answer[]): Answer[] => [
  ...older.filter(({ fieldID }) => !newer.some((answer) => answer.fieldID === fieldID)),
  ...newer,
];
