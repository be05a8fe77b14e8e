import { z } from 'zod';
import { AvailabilityView } from './availability.ts';
import { Id } from './conventions.ts';
import { SubscriptionStatus } from './subscriptions.ts';

/** What refusals bring along for programs. A refusal may bring more, which nobody should rely on. */
export const ErrorMeta = z
  .object({
    alternatives: z
      .array(
        AvailabilityView.pick({ from_date: true, to_date: true, time_zone: true, calendar_id: true, calendar: true }),
      )
      .optional()
      .meta({ description: 'Of `slot_taken`: up to three free times near it, the nearest first.' }),
    appointment_id: Id.optional().meta({ description: 'Of `conflict`: the other visit of the patient at that time.' }),
    subscription_id: z
      .string()
      .optional()
      .meta({ description: 'Of `conflict`: the subscription of the patient that is in the way.' }),
    status: SubscriptionStatus.optional().meta({ description: 'Of `conflict`: the status of that subscription.' }),
    provider: z
      .string()
      .optional()
      .meta({ description: 'Of `provider_error`, `provider_unavailable` and `provider_timeout`: whose.' }),
    retry_safe: z.boolean().optional().meta({ description: 'Of these: whether the same request may be sent again.' }),
    oldest_sequence: z.int().optional().meta({
      description:
        'Of `events_expired`: the oldest event that is still held. `after_sequence` is one less to begin with it.',
    }),
    newest_sequence: z
      .int()
      .optional()
      .meta({ description: 'Of a sequence that has not come yet: the last event that there is.' }),
  })
  .catchall(z.unknown());
