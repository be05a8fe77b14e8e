import { OpenClinicInput, SetLogoInput, UpdateClinicInput } from '#contract/clinic.ts';
import { NoInput } from '#contract/patients.ts';
import { noPatient, router } from '../core/trpc.ts';
import { getClinic, openClinic } from './get-clinic.ts';
import { removeLogo, setLogo } from './set-logo.ts';
import { updateClinic } from './update-clinic.ts';

/** Procedures of the portal's Clinic page, and the look of the pages for patients. */
export const clinicRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getClinic(ctx)),
  update: noPatient.input(UpdateClinicInput).mutation(({ ctx, input }) => updateClinic(ctx, input)),
  setLogo: noPatient.input(SetLogoInput).mutation(({ ctx, input }) => setLogo(ctx, input)),
  removeLogo: noPatient.input(NoInput.optional()).mutation(({ ctx }) => removeLogo(ctx)),
  open: noPatient.input(OpenClinicInput).query(({ ctx }) => openClinic(ctx)),
});
