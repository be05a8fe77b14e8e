import type { Session } from './session.ts';

export type UserPayload = {
  email: string | null;
  emailVerified: boolean;
  groups: string[];
  /** Whether the user has a password, so that a page can offer to change it. */
  hasPassword: boolean;
  /** E.164. */
  phoneNumber: string | null;
  phoneNumberVerified: boolean;
  tenantId: string;
  username: string;
  userId: string;
  userType: 'Patient';
};

/** Returns the signed-in user, as of the last sign-in or refresh. */
export const payloadOf = ({ user }: Session): UserPayload => ({
  email: user.email,
  emailVerified: user.email_verified,
  groups: user.groups,
  hasPassword: user.has_password,
  phoneNumber: user.phone_number,
  phoneNumberVerified: user.phone_number_verified,
  tenantId: user.tenant_id,
  username: user.username,
  userId: user.user_id,
  userType: user.user_type,
});
