import { ListStoryInput } from '#contract/story.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listStory } from './list-story.ts';

/**
 * The timeline on a patient's page. Not part of the REST API, because these texts are for people and may change.
 * Applications read the same changes from `/events`, typed and in order.
 */
export const storyRouter = router({
  list: patientData('Story')
    .input(ListStoryInput)
    .query(({ ctx, input }) => listStory(ctx, input)),
});
