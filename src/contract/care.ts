import { z } from 'zod';
import { flag, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { IntegrationProvider } from './integrations.ts';
import { PatientId, PatientView } from './patients.ts';

/** Maximum number of live appointments or subscriptions whose ids are listed. */
export const MAX_LIVE_IDS = 20;

/** The count, and the first ids. Items that are being created are counted before they can be listed. */
const Live = (what: string, example: string) =>
  z.object({
    count: z.int().meta({ description: `${what}, including those that are being created.`, examples: [1] }),
    ids: z
      .array(z.string())
      .max(MAX_LIVE_IDS)
      .meta({ description: `The first ${MAX_LIVE_IDS} that can be retrieved.`, examples: [[example]] }),
  });
export const LiveView = z
  .object({
    visits: Live('Upcoming appointments', EXAMPLE.appointmentId),
    subscriptions: Live('Subscriptions that have not ended, including unpaid ones', EXAMPLE.subscriptionId),
  })
  .meta({ component: 'LiveCare' });
export type LiveView = z.infer<typeof LiveView>;

const Problem = z.object({
  provider: IntegrationProvider.meta({ description: 'The provider that did not complete the request.' }),
  code: z.string().meta({ examples: ['provider_unavailable'] }),
  detail: z.string().meta({ description: 'A sentence that helps a person to solve it.' }),
});
export const CareEndingView = z
  .object({
    since: UtcInstant,
    state: z.enum(['in_progress', 'needs_attention']).meta({
      description:
        '`needs_attention`: a provider rejects the requests, see `problems`; the worker retries at growing intervals.',
    }),
    problems: z.array(Problem).meta({ description: 'The problems of the last attempt.', examples: [[]] }),
    live: LiveView,
  })
  .meta({ component: 'CareEnding' });
export type CareEndingView = z.infer<typeof CareEndingView>;

/** The response to an archive request: the patient, and the care that has to end first. */
export const ArchivedPatientView = PatientView.extend({
  care_ending: CareEndingView.nullable().meta({
    description: 'Not null while appointments and subscriptions are being ended; the patient is archived afterwards.',
    examples: [null],
  }),
}).meta({ component: 'ArchivedPatient' });
export type ArchivedPatientView = z.infer<typeof ArchivedPatientView>;

export const ArchivePatientInput = z.strictObject({
  id: PatientId,
  end_care: flag.optional().meta({
    description:
      'Cancels upcoming appointments and ends subscriptions first; an application also needs `appointments:write` and `subscriptions:write`. Without it, archiving a patient who has any fails with `conflict` and `meta.live`.',
  }),
});
export type ArchivePatientInput = z.infer<typeof ArchivePatientInput>;

/** Portal: the care that archiving a patient would end, or is ending, with display names. */
export type CareView = {
  ending: Pick<CareEndingView, 'since' | 'state' | 'problems'> | null;
  visits: { count: number; items: LiveAppointmentView[] };
  subscriptions: { count: number; items: LiveSubscriptionView[] };
};
/** `pending`: being created, and not in other lists yet. */
export type LiveAppointmentView = {
  id: string;
  status: 'scheduled' | 'pending';
  appointment_type: string;
  practitioner_name: string;
  from_date: string;
  time_zone: string;
};
export type LiveSubscriptionView = {
  id: string;
  status: string;
  name: string | null;
  plan_price: number | null;
  currency: string | null;
  billing_period: string | null;
  billing_interval: number | null;
};
