/**
 * The fields of API responses that this app reads, as described in
 * `/api/v1/openapi.json`. Responses have more fields, and new ones may be added.
 */
export type Patient = {
  id: string;
  first_name: string | null;
  last_name: string | null;
  /** YYYY-MM-DD */
  birth_date: string | null;
};

export type Plan = {
  id: string;
  name: string;
  description: string | null;
  active: boolean;
  /** In minor units: cents. */
  unit_amount: number | null;
  currency: string;
  recurring: { interval: string; interval_count: number } | null;
  trial_period_in_days: number | null;
};

/** Has a `client_secret` only when a single subscription is retrieved. */
type Intent = { id: string; client_secret?: string | undefined };

export type Subscription = {
  id: string;
  name: string | null;
  status: string;
  plan_price: number | null;
  currency: string;
  billing_period: string | null;
  billing_interval: number | null;
  trial_end: string | null;
  cancel_at: string | null;
  cancel_at_period_end: boolean;
  current_period_end: string | null;
  upcoming_invoice_date: string | null;
  next_action: 'payment' | 'setup' | 'none';
  latest_invoice: {
    amount_due: number;
    currency: string;
    payment_intent: Intent | null;
  } | null;
  pending_setup_intent: Intent | null;
  payment_client: {
    publishable_key: string;
    account_id: string;
    script_url: string | null;
  };
};

export type ManageLink = { url: string };

export type AppointmentType = {
  id: number;
  name: string;
  description: string | null;
  duration_minutes: number;
};

export type Slot = {
  from_date: string;
  time_zone: string;
  calendar_id: number;
};

export type Appointment = Slot & {
  id: string;
  appointment_type_id: number;
  appointment_type: string;
  calendar: string;
  practitioner_name: string | null;
  duration_minutes: number;
  video_call_url: string;
};
