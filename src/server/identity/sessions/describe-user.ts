import type { WireUser } from '#sdk/protocol/endpoints.ts';

export type UserColumns = {
  email: string | null;
  emailVerified: boolean;
  phoneNumber: string | null;
  phoneNumberVerified: boolean;
  srpIdentity: string | null;
  /** The one they sign in with. */
  signInPhone: string | null;
};

/** Who is signed in, for apps: how they can be reached and whether they proved it. No health data. */
export const describeUser = (tenantId: string, patientId: string, columns: UserColumns): WireUser => ({
  user_id: patientId,
  username: (columns.srpIdentity ? columns.email : columns.signInPhone) ?? patientId,
  user_type: 'Patient',
  tenant_id: tenantId,
  email: columns.email,
  email_verified: columns.emailVerified,
  phone_number: columns.phoneNumber,
  phone_number_verified: columns.phoneNumberVerified,
  groups: [],
});
