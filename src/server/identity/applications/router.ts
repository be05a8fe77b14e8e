import { SetAllowedOriginsInput, SetAppAddressesInput } from '#contract/origins.ts';
import { NoInput } from '#contract/patients.ts';
import {
  ApplicationIdInput,
  CreateApplicationInput,
  RevokeSecretInput,
  UpdateApplicationInput,
} from '#contract/settings.ts';
import { noPatient, router } from '../../core/trpc.ts';
import { listApplications } from './application.ts';
import { revokeApplicationSecret, rotateApplicationSecret } from './application-secrets.ts';
import { createApplication } from './create-application.ts';
import { getConfigurationTokens } from './get-configuration-tokens.ts';
import { issueSampleToken } from './issue-sample-token.ts';
import { listAllowedOrigins, setAllowedOrigins } from './origins/allowed-origins.ts';
import { getAppAddresses, setAppAddresses } from './origins/app-addresses.ts';
import { revokeApplication } from './revoke-application.ts';
import { updateApplication } from './update-application.ts';

/** The portal's API credentials page. */
export const applicationsRouter = router({
  list: noPatient.input(NoInput.optional()).query(({ ctx }) => listApplications(ctx)),
  create: noPatient.input(CreateApplicationInput).mutation(({ ctx, input }) => createApplication(ctx, input)),
  update: noPatient.input(UpdateApplicationInput).mutation(({ ctx, input }) => updateApplication(ctx, input)),
  rotateSecret: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => rotateApplicationSecret(ctx, input)),
  revokeSecret: noPatient.input(RevokeSecretInput).mutation(({ ctx, input }) => revokeApplicationSecret(ctx, input)),
  giveSampleToken: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => issueSampleToken(ctx, input)),
  revoke: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => revokeApplication(ctx, input)),
  allowedOrigins: noPatient.input(NoInput.optional()).query(({ ctx }) => listAllowedOrigins(ctx)),
  setAllowedOrigins: noPatient
    .input(SetAllowedOriginsInput)
    .mutation(({ ctx, input }) => setAllowedOrigins(ctx, input)),
  appAddresses: noPatient.input(NoInput.optional()).query(({ ctx }) => getAppAddresses(ctx)),
  setAppAddresses: noPatient.input(SetAppAddressesInput).mutation(({ ctx, input }) => setAppAddresses(ctx, input)),
  configurationTokens: noPatient.input(NoInput.optional()).query(({ ctx }) => getConfigurationTokens(ctx)),
});
