import { OpenClinicInput, SetLogoInput, UpdateClinicInput } from '#contract/clinic.ts';
import { NoInput } from '#contract/patients.ts';
import { procedure, router } from '../core/trpc.ts';
import { openClinic, readClinic } from './read-clinic.ts';
import { removeLogo, setLogo } from './set-logo.ts';
import { updateClinic } from './update-clinic.ts';

/** The portal's Clinic page, and what patients' pages are told of it. */
export const clinicRouter = router({
  get: procedure.input(NoInput.optional()).query(({ ctx }) => readClinic(ctx)),
  update: procedure.input(UpdateClinicInput).mutation(({ ctx, input }) => updateClinic(ctx, input)),
  setLogo: procedure.input(SetLogoInput).mutation(({ ctx, input }) => setLogo(ctx, input)),
  removeLogo: procedure.input(NoInput.optional()).mutation(({ ctx }) => removeLogo(ctx)),
  open: procedure.input(OpenClinicInput).query(({ ctx }) => openClinic(ctx)),
});
