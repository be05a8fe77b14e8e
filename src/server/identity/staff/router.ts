import { NoInput } from '#contract/patients.ts';
import { procedure, router } from '../../core/trpc.ts';
import { readMe } from './read-me.ts';

export const sessionRouter = router({
  me: procedure
    .meta({ whileEnrolling: true })
    .input(NoInput.optional())
    .query(({ ctx }) => readMe(ctx)),
});
