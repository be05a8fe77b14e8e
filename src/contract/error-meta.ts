import { z } from 'zod';
import { AvailabilityView } from './availability.ts';
import { Id } from './conventions.ts';
import { SubscriptionStatus } from './subscriptions.ts';

/** Structured data of errors. An error may carry more, which clients must not rely on. */
export const ErrorMeta = z
  .object({
    alternatives: z
      .array(
        AvailabilityView.pick({ from_date: true, to_date: true, time_zone: true, calendar_id: true, calendar: true }),
      )
      .optional()
      .meta({ description: 'With `slot_taken`: up to three free slots near it, nearest first.' }),
    appointment_id: Id.optional().meta({
      description: "With `conflict`: the patient's other appointment at that time.",
    }),
    subscription_id: z
      .string()
      .optional()
      .meta({ description: "With `conflict`: the patient's subscription that prevents it." }),
    status: SubscriptionStatus.optional().meta({ description: 'With `conflict`: the status of that subscription.' }),
    provider: z
      .string()
      .optional()
      .meta({ description: 'With `provider_error`, `provider_unavailable` and `provider_timeout`: the provider.' }),
    retry_safe: z
      .boolean()
      .optional()
      .meta({ description: 'With the same codes: whether the same request may be sent again.' }),
    oldest_sequence: z.int().optional().meta({
      description:
        'With `events_expired`: the oldest event that is still stored. To start with it, pass one less as `after_sequence`.',
    }),
    newest_sequence: z
      .int()
      .optional()
      .meta({ description: 'With a sequence that does not exist yet: the last event.' }),
  })
  .catchall(z.unknown());
