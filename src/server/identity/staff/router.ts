import { NoInput } from '#contract/patients.ts';
import { noPatient, router } from '../../core/trpc.ts';
import { getMe } from './get-me.ts';

export const sessionRouter = router({
  me: noPatient
    .meta({ whileEnrolling: true })
    .input(NoInput.optional())
    .query(({ ctx }) => getMe(ctx)),
});
