export { getConfigurationTokens } from './applications/get-configuration-tokens.ts';
export { tenantsOfOrigin } from './applications/origins/allowed-origins.ts';
export { appLink } from './applications/origins/app-link.ts';
export { createApplication } from './applications/router.ts';
export { handleTokenRequest, type TokenRequest } from './oauth/handle-token-request.ts';
export { OAuthError, type OAuthErrorCode } from './oauth/oauth-error.ts';
export { revokeToken } from './oauth/revoke-token.ts';
export { serverMetadata } from './oauth/server-metadata.ts';
export { IDENTITY_ENDPOINTS, type IdentityEndpoint } from './patients/endpoints.ts';
export { authenticateBearer } from './sessions/authenticate-bearer.ts';
export { confirmPassword, wrongPassword } from './staff/confirm-password.ts';
export { createStaffUser } from './staff/create-staff-user.ts';
export { createTenant } from './staff/create-tenant.ts';
export { endStaffSessions, signOutStaff } from './staff/end-staff-sessions.ts';
export { endPortalLockout } from './staff/lockout/end-portal-lockout.ts';
export { notifyStaffOfLockout } from './staff/lockout/notify-staff-of-lockout.ts';
export { checkNewPassword, hashPassword, newPasswordErrors } from './staff/password.ts';
export { openStaffReset, requestStaffReset } from './staff/request-staff-reset.ts';
export { setStaffPassword } from './staff/set-staff-password.ts';
export { signInStaff } from './staff/sign-in-staff.ts';
export { invalidateStaffSession, type StaffSessionRef, staffActor } from './staff/staff-actor.ts';
export { secondStepKey } from './staff/two-step/check-second-step.ts';
export {
  issueRecoveryCodes,
  newTotpSecret,
  removeTwoStep,
  secretBoundTo,
  totpStep,
  totpUri,
} from './staff/two-step/two-step.ts';
export { PUBLISHED_AHEAD, publishedKeys, rotateSigningKeys } from './tokens/signing-keys.ts';
export type { Caller } from './verification/caller.ts';
export { clearFailures, countFailure } from './verification/failures.ts';
export { deleteKnownDevices } from './verification/known-device.ts';
export { endLockout } from './verification/lockout/end-lockout.ts';
export { lockPerson, staffRoute } from './verification/person.ts';
