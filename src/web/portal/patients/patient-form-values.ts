import type { CreatePatientInput, PatientView } from '#contract/patients.ts';

/**
 * Has the shape of the API's input, so that an error's pointer (`/phones_attributes/0/number`) names a field here. An
 * empty text means "not given".
 */
export type PatientFormValues = {
  first_name: string;
  middle_name: string;
  last_name: string;
  email: string;
  birth_date: string;
  administrative_gender: PatientView['administrative_gender'];
  gender_identity: NonNullable<PatientView['gender_identity']> | '';
  external_id: string;
  /** Language tag, one of the offered options. */
  language: string;
  tags: string;
  phones_attributes: { id?: string | undefined; number: string }[];
  addresses_attributes: ({ id?: string | undefined } & Record<(typeof ADDRESS_LINES)[number], string>)[];
};

const ADDRESS_LINES = ['line1', 'line2', 'city', 'state', 'zip', 'country'] as const;

export function toFormValues(patient: PatientView | undefined): PatientFormValues {
  const phone = patient?.phones.find((row) => row.primary);
  const address = patient?.addresses.find((row) => row.primary);
  return {
    first_name: patient?.first_name ?? '',
    middle_name: patient?.middle_name ?? '',
    last_name: patient?.last_name ?? '',
    email: patient?.email ?? '',
    birth_date: patient?.birth_date ?? '',
    administrative_gender: patient?.administrative_gender ?? 'unknown',
    gender_identity: patient?.gender_identity ?? '',
    external_id: patient?.external_id ?? '',
    language: patient?.language ?? '',
    tags: patient?.tag_list.join(', ') ?? '',
    phones_attributes: [{ ...(phone && { id: phone.id }), number: phone?.number ?? '' }],
    addresses_attributes: [
      {
        ...(address && { id: address.id }),
        ...(Object.fromEntries(ADDRESS_LINES.map((line) => [line, address?.[line] ?? ''])) as Record<
          (typeof ADDRESS_LINES)[number],
          string
        >),
      },
    ],
  };
}

/** Splits a text at commas. */
export const tagsOf = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

const orNull = (text: string) => text.trim() || null;

/** A nested row as the API expects it: a known row that was emptied is destroyed, an unknown empty row is not sent. */
function row<Values extends object>(
  id: string | undefined,
  empty: boolean,
  values: Values,
): (Partial<Values> & { id?: string; primary?: boolean; _destroy?: boolean })[] {
  if (empty) return id ? [{ id, _destroy: true } as never] : [];
  return [{ ...(id && { id }), ...values, primary: true }];
}

export function fromFormValues(values: PatientFormValues): Omit<CreatePatientInput, 'email'> {
  const { phones_attributes, addresses_attributes, tags, email: _, ...plain } = values;
  return {
    first_name: orNull(plain.first_name),
    middle_name: orNull(plain.middle_name),
    last_name: orNull(plain.last_name),
    birth_date: orNull(plain.birth_date),
    administrative_gender: plain.administrative_gender,
    gender_identity: plain.gender_identity || null,
    external_id: orNull(plain.external_id),
    language: orNull(plain.language),
    tag_list: tagsOf(tags),
    phones_attributes: phones_attributes.flatMap(({ id, number }) => row(id, !number.trim(), { number })),
    addresses_attributes: addresses_attributes.flatMap(({ id, ...lines }) => {
      const address = Object.fromEntries(ADDRESS_LINES.map((line) => [line, orNull(lines[line])]));
      return row(
        id,
        Object.values(address).every((line) => line === null),
        address,
      );
    }),
  };
}
