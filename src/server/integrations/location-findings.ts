import type { Finding } from '#contract/integrations.ts';
import { type AcuityForm, LOCATION } from '#server/providers/acuity-shapes.ts';
import type { ProviderAppointmentType } from '#server/providers/scheduling-provider.ts';
import type { LinkTo } from './acuity-links.ts';

/** The field types that accept text. */
const TEXT_TYPES = ['textbox', 'textarea'];
const isAlmost = (name: string): boolean => name.trim().toLowerCase() === LOCATION.toLowerCase();
const objectOf = ({ id, name }: AcuityForm): Finding['object'] => ({ type: 'Form', id: String(id), name });

/**
 * Findings that prevent an appointment's location from being written into the internal form "Location" at Acuity. A
 * problem of a form is one finding for all its types; a type is named only when it alone lacks the form.
 */
export function locationFindings(offered: ProviderAppointmentType[], forms: AcuityForm[], linkTo: LinkTo): Finding[] {
  const link = linkTo('forms');
  const named = forms.filter(({ name }) => name === LOCATION);
  if (named.length === 0) return [withoutForm(forms, link)];
  const relevant = named.filter(({ typeIds }) => offered.some(({ id }) => typeIds.includes(id)));
  const attached = new Set(named.flatMap(({ typeIds }) => typeIds));
  return [
    ...(relevant.length > 0 ? relevant : named.slice(0, 1)).flatMap((form) => faultsOf(form, link)),
    ...offered
      .filter(({ id }) => !attached.has(id))
      .map(({ id, name }) => ({
        code: 'location_form_not_attached',
        message: `"${name}" cannot be booked here: the form "Location" is not attached to it.`,
        object: { type: 'AppointmentType' as const, id: String(id), name },
        fix: `In Acuity, open the form "Location" under Intake Form Questions and tick "${name}".`,
        link,
      })),
  ];
}

function withoutForm(forms: AcuityForm[], link: Finding['link']): Finding {
  const almost = forms.find(({ name }) => isAlmost(name));
  const missing = 'Nothing can be booked here: in Acuity there is no form named exactly "Location".';
  return {
    code: 'location_form_missing',
    message: almost ? `${missing} There is one named "${almost.name}".` : missing,
    object: almost ? objectOf(almost) : { type: 'Form', id: null, name: LOCATION },
    fix: almost
      ? `In Acuity, rename the form "${almost.name}" to Location, with a capital L and nothing else.`
      : 'In Acuity, add an internal form named Location under Intake Form Questions, with one text question named Location, and attach it to every appointment type.',
    link,
  };
}

function faultsOf(form: AcuityForm, link: Finding['link']): Finding[] {
  const object = objectOf(form);
  const findings: Finding[] = [];
  if (!form.internal)
    findings.push({
      code: 'location_form_not_internal',
      message:
        'The form "Location" is shown to clients on Acuity’s booking page, where they could write a place of their own.',
      object,
      fix: 'In Acuity, open the form "Location" and make it an internal form, for staff alone.',
      link,
    });
  const question = form.fields.find(({ name }) => name === LOCATION);
  const almost = form.fields.find(({ name }) => isAlmost(name));
  if (!question && almost)
    findings.push({
      code: 'location_question_misnamed',
      message: `In the form "Location" the question is named "${almost.name}", not exactly "Location": what hangs on it cannot be booked here.`,
      object,
      fix: 'In Acuity, open the form "Location" and rename its question to Location, with a capital L and nothing else.',
      link,
    });
  else if (!question)
    findings.push({
      code: 'location_question_missing',
      message: 'The form "Location" has no question named "Location": what hangs on it cannot be booked here.',
      object,
      fix: 'In Acuity, open the form "Location" and add a text question named Location.',
      link,
    });
  else if (!TEXT_TYPES.includes(question.type))
    findings.push({
      code: 'location_question_wrong_type',
      message: 'The question "Location" does not take text, so a visit’s link cannot be written into it.',
      object,
      fix: 'In Acuity, open the form "Location" and make its question a text box.',
      link,
    });
  return findings;
}
