import { z } from 'zod';
import { Id, text } from './conventions.ts';
import type { Permission, Role } from './roles.ts';
import { SCOPES, type Scope } from './scopes.ts';

export const ApplicationIdInput = z.strictObject({ id: Id });
export const CreateApplicationInput = z.strictObject({ name: text(100), scopes: z.array(z.enum(SCOPES)).min(1) });
export type CreateApplicationInput = z.infer<typeof CreateApplicationInput>;
/** Omitted fields stay unchanged. */
export const UpdateApplicationInput = CreateApplicationInput.partial().extend({ id: Id });
export type UpdateApplicationInput = z.infer<typeof UpdateApplicationInput>;
export const RevokeSecretInput = z.strictObject({ id: Id, secret_id: Id });

/** A server application of the tenant; of each secret, only the last characters are returned. */
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
/** The response to create and rotate; the secret is returned only once. */
export type NewSecretView = { application: ApplicationView; client_secret: string };

/** An access token for experiments in a sandbox. */
export type SampleTokenView = { access_token: string; expires_in: number; scopes: Scope[] };

/** Public configuration tokens for `configure()` of the SDK, one per sign-in flow. */
export type ConfigurationTokensView = { passwordless: string; credentials: string };

export type MeView = {
  user: { id: string; name: string; email: string; role: Role };
  permissions: Permission[];
  /** Two-step sign-in has to be set up before anything else. */
  two_step_due: boolean;
  /** Whether an appointment was ever booked with the staff user. */
  has_appointments: boolean;
  tenant: { id: string; name: string; time_zone: string; invites_enabled: boolean };
  environment: 'sandbox' | 'production';
};

export const SetInvitesInput = z.strictObject({ enabled: z.boolean() });
export type SetInvitesInput = z.infer<typeof SetInvitesInput>;
