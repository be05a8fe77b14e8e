import { ListTimelineInput } from '#contract/timeline.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listTimeline } from './list-timeline.ts';

/**
 * The timeline on a patient's page. Not part of the REST API, because these texts are for people and may change.
 * Applications read the same changes from `/events`, typed and in order.
 */
export const timelineRouter = router({
  list: patientData('Timeline')
    .input(ListTimelineInput)
    .query(({ ctx, input }) => listTimeline(ctx, input)),
});
