import { z } from 'zod';
import { Id, text } from './conventions.ts';
import { SCOPES, type Scope } from './scopes.ts';

export const ApplicationIdInput = z.strictObject({ id: Id });
export const CreateApplicationInput = z.strictObject({ name: text(100), scopes: z.array(z.enum(SCOPES)).min(1) });
export type CreateApplicationInput = z.infer<typeof CreateApplicationInput>;
/** What is left out stays as it is. */
export const UpdateApplicationInput = CreateApplicationInput.partial().extend({ id: Id });
export type UpdateApplicationInput = z.infer<typeof UpdateApplicationInput>;
export const RevokeSecretInput = z.strictObject({ id: Id, secret_id: Id });

/** A server application of the tenant; secrets show only their last characters. */
export type ApplicationView = {
  id: string;
  client_id: string;
  name: string;
  scopes: Scope[];
  secrets: { id: string; hint: string; last_used_at: string | null; created_at: string }[];
  last_used_at: string | null;
  revoked_at: string | null;
  created_at: string;
};
/** The answer to create and rotate: the only time the secret is shown. */
export type NewSecretView = { application: ApplicationView; client_secret: string };

/** Public strings for `configure()` of the SDK, one per flow. */
export type ConfigurationTokensView = { passwordless: string; credentials: string };

export type IntegrationProvider = 'stripe' | 'acuity';
export type Finding = { code: string; message: string };
/** How a provider stands. Credentials are write-only and never shown. */
export type IntegrationView = {
  provider: IntegrationProvider;
  status: 'connected' | 'degraded' | 'disconnected';
  account_id: string | null;
  details: Record<string, string | number | boolean | null>;
  findings: Finding[];
  checked_at: string | null;
  /** Of Stripe, for administrators. */
  sync?: StripeSyncView;
};
/** How our copies of subscriptions keep up with Stripe. */
export type StripeSyncView = {
  /** Null when none came in the last 30 days. */
  last_webhook_at: string | null;
  /** When Stripe was last asked for what webhooks may have lost, and whether it answered. */
  last_reconcile_at: string | null;
  answered: boolean;
  /** The last time that all subscriptions had been compared, and how many there were. */
  compared_at: string | null;
  compared: number;
  /** Within how many seconds a lost change is found. */
  bound_seconds: number;
  /** How often something was put right that no webhook had told of; the last of them. */
  repaired: number;
  repairs: StripeRepairView[];
  /** Subscriptions at Stripe whose customer is no patient here. */
  unknown: { id: string; customer_id: string; name: string | null; first_seen_at: string }[];
};
export type StripeRepairView = {
  id: string;
  /** `sub_…` or `cus_…` */
  object_id: string;
  found_by: 'events' | 'comparison' | 'reading';
  /** `status:canceled`, `details`, `adopted` or `customer_deleted` */
  what: string;
  created_at: string;
};
export const ConnectAcuityInput = z.strictObject({ user_id: text(50), api_key: text(200) });
export type ConnectAcuityInput = z.infer<typeof ConnectAcuityInput>;

export type Role = 'practitioner' | 'admin';
export type MeView = {
  user: { id: string; name: string; email: string; role: Role };
  /** Two-step sign-in has to be set up before anything else. */
  two_step_due: boolean;
  tenant: { id: string; name: string; time_zone: string; invites_enabled: boolean };
  environment: 'sandbox' | 'production';
};

export const SetInvitesInput = z.strictObject({ enabled: z.boolean() });
export type SetInvitesInput = z.infer<typeof SetInvitesInput>;
