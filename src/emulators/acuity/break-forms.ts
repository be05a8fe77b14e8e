import { type Break, NothingToRepair } from './break-shape.ts';
import type { Account, Field, Form } from './state.ts';

const NAME = 'Location';
const isAlmost = ({ name }: { name: string }) => name.trim().toLowerCase() === NAME.toLowerCase();

function found<T>(value: T | undefined, otherwise?: string): T {
  if (value === undefined) throw otherwise === undefined ? new NothingToRepair() : new TypeError(otherwise);
  return value;
}

/** Finds the form by id or by its name in any case, because a break may have changed the name's case. */
const formOf = ({ forms }: Account, object: number | null = null): Form =>
  found(
    forms.find(({ id }) => id === object) ?? forms.find(({ name }) => name === NAME) ?? forms.find(isAlmost),
    'There is no form named Location',
  );
const questionOf = (form: Form): Field =>
  found(
    form.fields.find(({ name }) => name === NAME) ?? form.fields.find(isAlmost),
    'The form has no question named Location',
  );
const question = (id: number): Field => ({ id, name: NAME, required: false, type: 'textbox', options: null });

/** Breaks of the forms that clients or staff fill in. */
export const BREAK_FORMS: Record<string, Break> = {
  location_form_missing: {
    label: 'No form is named exactly Location',
    apply(account) {
      formOf(account).name = 'location';
    },
    repair(account, { object, newId }) {
      const form = account.forms.find(({ id }) => id === object) ?? account.forms.find(isAlmost);
      if (form) form.name = NAME;
      else
        account.forms.push({
          id: newId(),
          name: NAME,
          description: 'Where the visit takes place. Internal.',
          hidden: true,
          appointmentTypeIDs: account.types.map(({ id }) => id),
          fields: [question(newId())],
        });
    },
  },
  location_form_not_internal: {
    label: 'The form Location is shown to clients',
    apply(account) {
      formOf(account).hidden = false;
    },
    repair(account, { object }) {
      formOf(account, object).hidden = true;
    },
  },
  location_question_missing: {
    label: 'The form Location has no such question',
    apply(account) {
      const form = formOf(account);
      form.fields = form.fields.filter((field) => !isAlmost(field));
    },
    repair(account, { object, newId }) {
      const { fields } = formOf(account, object);
      if (fields.some(isAlmost)) throw new NothingToRepair();
      fields.push(question(newId()));
    },
  },
  location_question_misnamed: {
    label: 'The question is not named exactly Location',
    apply(account) {
      questionOf(formOf(account)).name = 'location';
    },
    repair(account, { object }) {
      questionOf(formOf(account, object)).name = NAME;
    },
  },
  location_question_wrong_type: {
    label: 'The question takes no text',
    apply(account) {
      questionOf(formOf(account)).type = 'checkbox';
    },
    repair(account, { object }) {
      questionOf(formOf(account, object)).type = 'textbox';
    },
  },
  location_form_not_attached: {
    label: 'The form is not attached to a type',
    apply(account) {
      const form = formOf(account);
      form.appointmentTypeIDs = form.appointmentTypeIDs.slice(1);
    },
    repair(account, { object }) {
      const form = formOf(account);
      const missing = account.types.map(({ id }) => id).filter((id) => !form.appointmentTypeIDs.includes(id));
      const id = object !== null && missing.includes(object) ? object : missing[0];
      form.appointmentTypeIDs = [...form.appointmentTypeIDs, found(id)].sort();
    },
  },
  form_with_required_question: {
    label: 'Another form demands an answer',
    apply(account, newId) {
      account.forms.push({
        id: newId(),
        name: 'Intake',
        description: '',
        hidden: false,
        appointmentTypeIDs: account.types.slice(0, 1).map(({ id }) => id),
        fields: [{ id: newId(), name: 'Reason for the visit', required: true, type: 'textarea', options: null }],
      });
    },
    repair(account, { object }) {
      const demands = (form: Form) => !form.hidden && form.fields.some(({ required }) => required);
      const form = account.forms.find(({ id }) => id === object) ?? account.forms.find(demands);
      for (const field of found(form).fields) field.required = false;
    },
  },
};
