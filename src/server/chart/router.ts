import { ListStoryInput } from '#contract/story.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listStory } from './list-story.ts';

/**
 * A patient's page: what happened. Not a route of the REST API: these are sentences for people, and they change.
 * Applications read the same from `/events`, typed and in order.
 */
export const storyRouter = router({
  list: patientData('Story')
    .input(ListStoryInput)
    .query(({ ctx, input }) => listStory(ctx, input)),
});
