import { z } from 'zod';
import { type Page, Paging, text } from './conventions.ts';
import { by, byInteger, filters, sortBy } from './filters.ts';
import { PatientStatus, type PatientView } from './patients.ts';

export const PATIENT_FILTER_FIELDS = {
  created_at: 'datetime',
  updated_at: 'datetime',
  age: 'integer',
  first_name: 'string',
  last_name: 'string',
  email: 'string',
  id: 'string',
  tags: 'string',
  primary_phone_number: 'string',
  external_id: 'string',
} as const;

export const ListPatientsInput = z.strictObject({
  ...Paging,
  ...filters(PATIENT_FILTER_FIELDS),
  sort_by: sortBy(['created_at', 'updated_at', 'name']).meta({
    override: { type: 'string' },
    description:
      '`created_at`, `updated_at`, `name` (the last name, then the first), comma-separated; a leading `-` sorts in descending order. The default is `-created_at`.',
  }),
  search: text(200).optional().meta({
    description:
      'Words, each a part of a name, email, phone number, external id or tag, or a date of birth; commas separate words too. A word of one or two characters is the beginning of one.',
  }),
  by_first_name: by(),
  by_last_name: by(),
  by_email: by(),
  by_age: byInteger(0, 150),
  by_id: by(),
  by_tags: by(),
  by_primary_phone_number: by(),
  by_external_id: by(),
  by_status: by().meta({
    description: `Any of ${PatientStatus.options.join(', ')}, comma-separated; archived patients are left out by default.`,
  }),
});
export type ListPatientsInput = z.infer<typeof ListPatientsInput>;

/** `is_similar`: nothing matches the search; these patients are spelled nearly the same. Only for staff. */
export type PatientsPage = Page<PatientView> & { is_similar?: boolean };
