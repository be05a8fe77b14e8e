import { ListStoryInput } from '#contract/story.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listStory } from './list-story.ts';

/** A patient's page: what happened. */
export const storyRouter = router({
  list: patientData('Story')
    .input(ListStoryInput)
    .query(({ ctx, input }) => listStory(ctx, input)),
});
