type Address = {
  id?: string;
  line1?: string | null;
  line2?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  country?: string | null;
  label?: string | null;
  primary?: boolean;
  active?: boolean;
  _destroy?: boolean;
};
type Race = { level_2_display: string; level_3_display?: string | null };
type Phone = Pick<Address, 'id' | 'label' | 'primary' | 'active' | '_destroy'> & { number?: string };

/** Fields of `PATCH /patients/{id}`. The server validates them and rejects unknown ones. */
export type PatientAttributes = {
  first_name?: string | null;
  middle_name?: string | null;
  last_name?: string | null;
  /** YYYY-MM-DD. */
  birth_date?: string | null;
  administrative_gender?: 'unknown' | 'male' | 'female' | 'not_applicable';
  gender_identity?:
    | 'female'
    | 'male'
    | 'non_binary'
    | 'non_disclose'
    | 'other'
    | 'transgender_female'
    | 'transgender_male'
    | null;
  /** A plain text is the second level. */
  races?: (string | Race)[];
  ethnicities?: Race[];
  addresses_attributes?: Address[];
  phones_attributes?: Phone[];
  tag_list?: string[];
  /** Your own JSON, at most 16 KiB. */
  metadata?: Record<string, unknown>;
  external_id?: string | null;
  /** IANA, e.g. `America/New_York`. */
  time_zone?: string | null;
  /** BCP 47, e.g. `es-US`. */
  language?: string | null;
};

/**
 * Attributes of a sign-up: additionally, whether the patient has accepted the clinic's terms of service, which is
 * stored with the time.
 */
export type SignUpAttributes = PatientAttributes & { accepted_terms_of_service?: true };
