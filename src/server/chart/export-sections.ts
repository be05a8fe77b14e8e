import { racesFromTexts } from '#server/patients/index.ts';

/**
 * A table with rows of a patient in the export. Every column is listed or left out with a reason; a test compares this
 * with the schema, so that no new column is missed and no secret is exported.
 */
export type Section = {
  /** The name in the export. */
  name: string;
  table: string;
  /** The column with the patient's id; default `patient_id`. */
  patientColumn?: 'id';
  /** The column for the order, latest first. */
  orderBy: string;
  columns: readonly string[];
  /** Encrypted columns, and the column that binds them to their row. */
  sealed?: Record<string, { boundBy: 'id' | 'patient_id'; without?: readonly string[] }>;
  /** Columns whose stored form differs from the API's. */
  convert?: Record<string, (value: unknown) => unknown>;
  leftOut?: Record<string, string>;
};

const SECRET = 'A secret, or the hash of one';
const RETRY = 'Identifies a retry of the same request';
const INTERNAL = 'Internal state of the service';
const FOR_LISTS = 'Derived from other columns, for searching and sorting';

export const SECTIONS: readonly Section[] = [
  {
    name: 'patient',
    table: 'patients',
    patientColumn: 'id',
    // The patient first, then the records that were merged into theirs.
    orderBy: '(merged_into is null)',
    columns: [
      ...['id', 'external_id', 'first_name', 'middle_name', 'last_name', 'birth_date', 'email', 'email_verified'],
      ...['phone_number', 'phone_number_verified', 'administrative_gender', 'gender_identity', 'races', 'ethnicities'],
      ...[
        'tag_list',
        'metadata',
        'time_zone',
        'language',
        'status',
        'can_sign_in',
        'signed_in_before',
        'terms_accepted_at',
        'archived_at',
        'care_ending_at',
        'merged_into',
      ],
      ...['care_ending_problems', 'created_at', 'updated_at'],
    ],
    convert: { races: (texts) => racesFromTexts(texts as string[]) },
    leftOut: { search_text: FOR_LISTS, sort_name: FOR_LISTS },
  },
  {
    name: 'tasks',
    table: 'tasks',
    orderBy: 'created_at',
    columns: [
      ...['id', 'title', 'due_date', 'assignee_id', 'assignee_role', 'subject_type', 'subject_id', 'created_by_type'],
      ...['created_by', 'completed_by_type', 'completed_by', 'completed_at', 'created_at', 'updated_at'],
    ],
    sealed: { note: { boundBy: 'id' } },
    // Stored for a task without a due date.
    convert: { due_date: (day) => (day === '9999-12-31' ? null : day) },
  },
  {
    name: 'notes',
    table: 'notes',
    orderBy: 'created_at',
    columns: [
      ...['id', 'appointment_id', 'version', 'pinned_at', 'created_by_type', 'created_by', 'created_at'],
      ...['updated_by_type', 'updated_by', 'updated_at'],
    ],
    // The text of an appointment's first note is exported with the appointment.
    sealed: { body: { boundBy: 'id' } },
  },
  {
    name: 'earlier_texts_of_notes',
    table: 'note_versions',
    orderBy: 'written_at',
    columns: ['id', 'note_id', 'version', 'written_by_type', 'written_by', 'written_at'],
    sealed: { body: { boundBy: 'id' } },
  },
  {
    name: 'phones',
    table: 'patient_phones',
    orderBy: 'created_at',
    columns: ['id', 'number', 'label', 'primary', 'active', 'created_at'],
  },
  {
    name: 'addresses',
    table: 'patient_addresses',
    orderBy: 'created_at',
    columns: [
      ...['id', 'line1', 'line2', 'city', 'state', 'zip', 'country', 'label', 'primary', 'active', 'created_at'],
    ],
  },
  {
    name: 'sign_in_methods',
    table: 'patient_sign_ins',
    orderBy: 'created_at',
    columns: [
      ...['phone_number', 'srp_identity', 'temporary_until', 'invitation_url', 'confirmed_at', 'reset_required_at'],
      ...['reset_by', 'created_at', 'updated_at'],
    ],
    leftOut: { salt: SECRET, verifier: SECRET, kdf: SECRET, invitation: SECRET },
  },
  {
    name: 'devices',
    table: 'known_devices',
    orderBy: 'last_used_at',
    columns: ['last_used_at', 'expires_at', 'created_at'],
    leftOut: { hash: SECRET, staff_user_id: 'Never set for a patient' },
  },
  {
    name: 'sessions',
    table: 'patient_sessions',
    orderBy: 'created_at',
    columns: [
      ...['id', 'client_id', 'user_agent', 'network', 'expires_at', 'last_used_at', 'ended_at', 'end_reason'],
      'created_at',
    ],
    leftOut: { begun_for: RETRY },
  },
  {
    name: 'sign_ups',
    table: 'sign_up_attempts',
    orderBy: 'asked_at',
    columns: ['client_id', 'made_record', 'user_agent', 'asked_at', 'created_at'],
    leftOut: {
      ...{ key: SECRET, person: SECRET, source: SECRET },
      content: 'Half of a password, and data that was entered before the address was verified',
    },
  },
  {
    name: 'email_changes_asked_for',
    table: 'asked_email_changes',
    orderBy: 'created_at',
    columns: ['help_id', 'expires_at', 'confirmed_at', 'created_at'],
    sealed: { email: { boundBy: 'patient_id' } },
    leftOut: { token_hash: SECRET },
  },
  {
    name: 'address_changes',
    table: 'address_changes',
    orderBy: 'created_at',
    columns: ['id', 'kind', 'expires_at', 'undone_at', 'restored', 'ended_at', 'created_at'],
    sealed: { kept: { boundBy: 'id', without: ['salt'] } },
    leftOut: { token_hash: SECRET },
  },
  {
    name: 'help_to_sign_in',
    table: 'sign_in_helps',
    orderBy: 'created_at',
    columns: ['id', 'staff_user_id', 'way', 'created_at'],
    sealed: { identity_check: { boundBy: 'id' } },
  },
  {
    name: 'invitations',
    table: 'sent_invitations',
    orderBy: 'created_at',
    columns: ['id', 'sent_by', 'expires_at', 'answered_at', 'ended_at', 'created_at'],
    sealed: { sent_to: { boundBy: 'id' } },
  },
  {
    name: 'visits',
    table: 'appointments',
    orderBy: 'start_at',
    columns: [
      ...['id', 'appointment_type_id', 'appointment_type', 'calendar_id', 'calendar', 'practitioner_id', 'start_at'],
      ...['end_at', 'time_zone', 'location', 'status', 'provider_appointment_id', 'metadata', 'canceled_at'],
      ...['canceled_because', 'cancel_reason_told', 'checked_in_at', 'completed_at', 'account_id', 'video_test'],
      ...['created_at', 'updated_at'],
    ],
    // The patient has a right to all that is stored about them, also to a reason that they were not told.
    sealed: { cancel_reason: { boundBy: 'id' }, staff_note: { boundBy: 'id' } },
    leftOut: {
      ...{ video_token: SECRET, pending_change: INTERNAL, no_show_due_at: INTERNAL },
      ...{ request_key: RETRY, asked: RETRY, version: INTERNAL },
    },
  },
  {
    name: 'video_calls',
    table: 'visit_calls',
    orderBy: 'created_at',
    columns: ['appointment_id', 'started_at', 'ended_at', 'ended_by', 'created_at'],
  },
  {
    name: 'seats_in_video_calls',
    table: 'visit_seats',
    orderBy: 'sat_at',
    columns: [
      ...['id', 'appointment_id', 'side', 'staff_id', 'sat_at', 'heard_at', 'admitted_at', 'left_at', 'why_left'],
      ...['devices', 'path', 'media', 'quality', 'worst_quality'],
    ],
    leftOut: { key_hash: SECRET, hold_hash: SECRET, last_signal: INTERNAL },
  },
  {
    name: 'messages_of_visits',
    table: 'visit_messages',
    orderBy: 'due_at',
    columns: [
      ...['id', 'appointment_id', 'kind', 'channel', 'minutes_before', 'start_at', 'due_at', 'state', 'why', 'sent_at'],
      ...['delivery', 'delivery_why', 'created_at', 'updated_at'],
    ],
    sealed: { sent_to: { boundBy: 'id' } },
    leftOut: { sequence: INTERNAL, entry_id: INTERNAL, turn: INTERNAL, tries: INTERNAL, claimed_at: INTERNAL },
  },
  {
    name: 'subscriptions',
    table: 'subscriptions',
    orderBy: 'created_at',
    columns: [
      ...['id', 'account_id', 'created_by_client_id', 'status', 'name', 'plan_price', 'currency', 'billing_period'],
      ...['billing_interval', 'items', 'cancel_at_period_end', 'cancel_at', 'canceled_at', 'ended_at'],
      ...['current_period_start', 'current_period_end', 'trial_start', 'trial_end', 'discount', 'latest_invoice'],
      ...['allow_promotion_codes', 'promotion_code', 'promotion_code_at', 'replaced_by'],
      ...['pending_setup_intent', 'payment_method', 'pause_collection', 'pause_reason', 'trial_products'],
      ...['invoiced_at', 'grace_until'],
      ...['created_at', 'updated_at'],
    ],
    leftOut: {
      payment_method_known: INTERNAL,
      attention_from: 'Derived from other columns, for a search',
      ticket: INTERNAL,
      synced_ticket: INTERNAL,
      asked: 'The caller of a pending change, for some minutes; the audit log has it too',
      checked_at: INTERNAL,
      payments_ticket: INTERNAL,
      payments_synced_ticket: INTERNAL,
      payments_checked_at: INTERNAL,
      payments_told_from: INTERNAL,
    },
  },
  {
    name: 'payments',
    table: 'payments',
    orderBy: 'created_at',
    columns: [
      ...['id', 'account_id', 'subscription_id', 'status', 'number', 'currency', 'billing_reason', 'subtotal'],
      ...['discount', 'tax', 'total', 'amount_due', 'amount_paid', 'amount_remaining', 'amount_refunded'],
      ...['period_start', 'period_end', 'paid_at', 'attempt_count', 'next_attempt_at', 'failure', 'invoice_url'],
      ...['pdf_url', 'receipt_url', 'payment_intent_ids', 'refunds', 'disputes', 'created_at', 'updated_at'],
    ],
  },
  {
    name: 'subscriptions_asked_for',
    table: 'subscription_intents',
    orderBy: 'created_at',
    columns: ['id', 'account_id', 'params', 'status', 'subscription_id', 'created_at', 'updated_at'],
    leftOut: { request_key: RETRY, asked: RETRY },
  },
  {
    name: 'payer',
    table: 'processor_customers',
    orderBy: 'created_at',
    columns: ['account_id', 'customer_id', 'deleted_at', 'created_at'],
    leftOut: { cards_holder: INTERNAL, cards_held_until: INTERNAL, told_at: INTERNAL },
  },
  {
    name: 'payment_links',
    table: 'checkout_links',
    orderBy: 'created_at',
    columns: [
      ...['id', 'subscription_id', 'made_by', 'sent_at', 'expires_at', 'completed_at', 'ended_at', 'created_at'],
      ...['allow_promotion_codes', 'promotion_code'],
    ],
    sealed: { sent_to: { boundBy: 'id' } },
    leftOut: { token: SECRET, token_hash: SECRET },
  },
  {
    name: 'message_choices',
    table: 'message_choices',
    orderBy: 'at',
    columns: ['id', 'channel', 'state', 'because', 'sender', 'made_by', 'at'],
    sealed: { address: { boundBy: 'id' }, words: { boundBy: 'id' } },
    leftOut: { signal_id: 'The provider’s message that caused it' },
  },
  {
    name: 'manage_links',
    table: 'manage_links',
    orderBy: 'created_at',
    columns: ['id', 'subscription_id', 'made_by', 'sent_at', 'expires_at', 'ended_at', 'created_at'],
    sealed: { sent_to: { boundBy: 'id' } },
    leftOut: { token: SECRET, token_hash: SECRET },
  },
];

/** Read in batches by the domains that own them: `export-chart.ts`. */
export const LONG_SECTIONS: Record<string, string> = { events: 'events', audit_entries: 'audit_log' };

/** Tables with a patient id that are not exported, by reason. */
export const NOT_EXPORTED: Record<string, string> = {
  one_time_codes: 'One-time codes, valid for minutes: hashes and attempts',
  sign_in_steps: 'State of pending sign-in steps, valid for minutes: secrets',
  note_drafts: 'Unfinished texts of staff, deleted when they are saved or after 30 days',
  slot_claims: 'Reserved times, also listed with the appointments',
  webhook_deliveries: 'Deliveries of events to the clinic’s own systems',
  event_numbers: 'Positions of the events in the clinic’s feed',
  unnumbered_events: 'Events that have no number yet, for about a second',
};
