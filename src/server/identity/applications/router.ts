import { SetAllowedOriginsInput, SetAppAddressesInput } from '#contract/origins.ts';
import { NoInput } from '#contract/patients.ts';
import {
  ApplicationIdInput,
  CreateApplicationInput,
  RevokeSecretInput,
  UpdateApplicationInput,
} from '#contract/settings.ts';
import { procedure, router } from '../../core/trpc.ts';
import { createApplication } from './create-application.ts';
import { listApplications } from './list-applications.ts';
import { listAllowedOrigins, setAllowedOrigins } from './origins/allowed-origins.ts';
import { readAppAddresses, setAppAddresses } from './origins/app-addresses.ts';
import { readConfigurationTokens } from './read-configuration-tokens.ts';
import { revokeApplication } from './revoke-application.ts';
import { revokeApplicationSecret } from './revoke-application-secret.ts';
import { rotateApplicationSecret } from './rotate-application-secret.ts';
import { updateApplication } from './update-application.ts';

/** The portal's API credentials page. */
export const applicationsRouter = router({
  list: procedure.input(NoInput.optional()).query(({ ctx }) => listApplications(ctx)),
  create: procedure.input(CreateApplicationInput).mutation(({ ctx, input }) => createApplication(ctx, input)),
  update: procedure.input(UpdateApplicationInput).mutation(({ ctx, input }) => updateApplication(ctx, input)),
  rotateSecret: procedure.input(ApplicationIdInput).mutation(({ ctx, input }) => rotateApplicationSecret(ctx, input)),
  revokeSecret: procedure.input(RevokeSecretInput).mutation(({ ctx, input }) => revokeApplicationSecret(ctx, input)),
  revoke: procedure.input(ApplicationIdInput).mutation(({ ctx, input }) => revokeApplication(ctx, input)),
  allowedOrigins: procedure.input(NoInput.optional()).query(({ ctx }) => listAllowedOrigins(ctx)),
  setAllowedOrigins: procedure
    .input(SetAllowedOriginsInput)
    .mutation(({ ctx, input }) => setAllowedOrigins(ctx, input)),
  appAddresses: procedure.input(NoInput.optional()).query(({ ctx }) => readAppAddresses(ctx)),
  setAppAddresses: procedure.input(SetAppAddressesInput).mutation(({ ctx, input }) => setAppAddresses(ctx, input)),
  configurationTokens: procedure.input(NoInput.optional()).query(({ ctx }) => readConfigurationTokens(ctx)),
});
