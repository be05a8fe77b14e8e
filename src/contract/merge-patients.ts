import { z } from 'zod';
import { UtcInstant } from './conventions.ts';
import { PatientId, type PatientView } from './patients.ts';

/** Fields of which one of the two values remains. Phones, addresses and tags of both records remain. */
export const MERGE_FIELDS = [
  'first_name',
  'middle_name',
  'last_name',
  'birth_date',
  'email',
  'phone_number',
  'administrative_gender',
  'gender_identity',
  'races',
  'ethnicities',
  'time_zone',
  'language',
  'external_id',
  'metadata',
] as const satisfies (keyof PatientView)[];
export type MergeField = (typeof MERGE_FIELDS)[number];

/** Portal: `id` is the record that remains, `other_id` the one that is merged into it. */
export const PreviewMergeInput = z.strictObject({ id: PatientId, other_id: PatientId });
export type PreviewMergeInput = z.infer<typeof PreviewMergeInput>;

export const MergePatientsInput = PreviewMergeInput.extend({
  /** Fields that take the other record's value. */
  take: z.array(z.enum(MERGE_FIELDS)).max(MERGE_FIELDS.length),
  /** `updated_at` of both as previewed: a record that was changed since is not merged. */
  updated_at: UtcInstant,
  other_updated_at: UtcInstant,
});
export type MergePatientsInput = z.infer<typeof MergePatientsInput>;

/**
 * Why two records are not merged: one is archived, or its care is ending; both have a subscription; together they have
 * more phones, addresses or tags than a patient may have; a change is being made at a provider, and its outcome is not
 * known yet.
 */
export type MergeObstacle = 'archived' | 'subscriptions' | 'too_much' | 'under_way';

/** What merging would do. */
export type MergePreviewView = {
  patient: PatientView;
  other: PatientView;
  fields: {
    field: MergeField;
    /** The other record's value would remain: this one has none. */
    takes_other: boolean;
    /** The patient signs in, and changes the email address by confirming the new one. */
    is_fixed: boolean;
  }[];
  /** How many of the other record's move. */
  moves: {
    appointments: number;
    /** Of them, those that are ahead. */
    upcoming: number;
    notes: number;
    tasks: number;
    subscriptions: number;
    payments: number;
  };
  /** Upcoming appointments at the time of one of the remaining record. */
  overlapping: number;
  /** `invite`: only the other record had a sign-in, which ends; the clinic invites the patient again. */
  sign_in: 'none' | 'remains' | 'invite';
  /** The other record is a customer at Stripe, too: its cards are not carried over. `moves`: they are, instead of own ones. */
  cards: 'none' | 'remain' | 'move' | 'replace';
  obstacles: { reason: MergeObstacle; detail: string }[];
};
