import { languageName } from '#contract/language-name.ts';
import type { MergeField, MergePreviewView } from '#contract/merge-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import { pluralize } from '#web/ui/count-label.ts';
import { formatPhone } from '#web/ui/format-phone.ts';
import { formatPlainDate } from '#web/ui/format-time.ts';
import { ADMINISTRATIVE_GENDERS, bornLabel, GENDER_IDENTITIES, nameOfPatient } from '../patients/patient.ts';

/** Names of the fields, as on the patient's page. */
export const FIELD_LABELS: Record<MergeField, string> = {
  first_name: 'First name',
  middle_name: 'Middle name',
  last_name: 'Last name',
  birth_date: 'Date of birth',
  email: 'Email',
  phone_number: 'Main phone number',
  administrative_gender: 'Sex on record',
  gender_identity: 'Gender identity',
  races: 'Races',
  ethnicities: 'Ethnicities',
  time_zone: 'Time zone',
  language: 'Language',
  external_id: 'Chart number',
  metadata: 'Data of your own systems',
};

const MAX_JSON_LENGTH = 120;
const NOTHING = 'Not on record';

/** A field's value as text, "Not on record" without one. */
export function valueText(patient: PatientView, field: MergeField): string {
  switch (field) {
    case 'birth_date':
      return patient.birth_date
        ? `${formatPlainDate(patient.birth_date)} (${pluralize(patient.age ?? 0, 'year')})`
        : NOTHING;
    case 'phone_number':
      return patient.phone_number ? formatPhone(patient.phone_number) : NOTHING;
    case 'administrative_gender':
      return ADMINISTRATIVE_GENDERS[patient.administrative_gender];
    case 'gender_identity':
      return patient.gender_identity ? GENDER_IDENTITIES[patient.gender_identity] : NOTHING;
    case 'races':
    case 'ethnicities':
      return patient[field].map(levelText).join(', ') || NOTHING;
    case 'time_zone':
      return patient.time_zone?.replaceAll('_', ' ') || NOTHING;
    case 'language':
      return patient.language ? languageName(patient.language) : NOTHING;
    case 'metadata':
      return jsonText(patient.metadata);
    default:
      return patient[field] || NOTHING;
  }
}

const levelText = ({ level_2_display, level_3_display }: PatientView['races'][number]): string =>
  level_3_display ? `${level_2_display} (${level_3_display})` : level_2_display;

function jsonText(metadata: PatientView['metadata']): string {
  if (Object.keys(metadata).length === 0) return NOTHING;
  const text = JSON.stringify(metadata);
  return text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}…` : text;
}

/** What tells apart two records of one name: "Ada Example", "born Feb 28, 1990", "chart MRN-1". */
export const recordLabels = (patient: PatientView): string[] =>
  [
    nameOfPatient(patient),
    bornLabel(patient.birth_date) ?? '',
    patient.external_id ? `chart ${patient.external_id}` : (patient.email ?? formatPhone(patient.phone_number ?? '')),
  ].filter(Boolean);

/** "2 appointments, 1 of them upcoming", "3 notes"; leaves out what the other record does not have. */
export function moveLabels({ appointments, upcoming, ...rest }: MergePreviewView['moves']): string[] {
  const counts: [count: number, noun: string][] = [
    [rest.notes, 'note'],
    [rest.tasks, 'task'],
    [rest.subscriptions, 'subscription'],
    [rest.payments, 'payment'],
  ];
  return [
    ...(appointments > 0 ? [appointmentsLabel(appointments, upcoming)] : []),
    ...counts.filter(([count]) => count > 0).map(([count, noun]) => pluralize(count, noun)),
  ];
}

function appointmentsLabel(appointments: number, upcoming: number): string {
  const label = pluralize(appointments, 'appointment');
  if (upcoming === 0) return label;
  return `${label}, ${upcoming === appointments ? (upcoming === 1 ? 'upcoming' : 'all upcoming') : `${upcoming} of them upcoming`}`;
}

type Consequences = {
  /** What staff may have to act on. */
  warnings: string[];
  notes: string[];
};

/** What else merging does. */
export function consequencesOf({
  sign_in,
  cards,
  overlapping,
}: Pick<MergePreviewView, 'sign_in' | 'cards' | 'overlapping'>): Consequences {
  return {
    warnings: [
      sign_in === 'invite' &&
        'The patient signs in with the other record, and this sign-in ends. Invite the patient again after the merge.',
      overlapping > 0 && overlapLabel(overlapping),
      cards === 'remain' && 'Saved cards of the other record are not carried over.',
      cards === 'replace' &&
        'The other record has the subscription, so its saved cards replace those of the kept record.',
    ].filter((text) => text !== false),
    notes: [
      sign_in === 'remains' && 'The sign-in of the kept record stays as it is.',
      cards === 'move' && 'Saved cards of the other record move to the kept record.',
      'Phone numbers, addresses and tags of both records are kept.',
      'The other record is signed out everywhere, archived, and points to the kept record.',
      'This cannot be undone.',
    ].filter((text) => text !== false),
  };
}

const overlapLabel = (count: number): string =>
  count === 1
    ? '1 upcoming appointment is at the same time as one of the kept record. Both stay booked.'
    : `${pluralize(count, 'upcoming appointment')} are at the same time as others of the kept record. All of them stay booked.`;
