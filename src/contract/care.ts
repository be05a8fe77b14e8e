import { z } from 'zod';
import { flag, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { IntegrationProvider } from './integrations.ts';
import { PatientId, PatientView } from './patients.ts';

/** Of how many of a patient's live visits or subscriptions more than their number is told. */
export const MOST_LIVE_TOLD = 20;

/** How many there are, and the first of them by id. What is just being made counts before it can be read. */
const Live = (what: string, example: string) =>
  z.object({
    count: z.int().meta({ description: `${what}, those just being made included.`, examples: [1] }),
    ids: z
      .array(z.string())
      .max(MOST_LIVE_TOLD)
      .meta({ description: `The first ${MOST_LIVE_TOLD} that can be read.`, examples: [[example]] }),
  });
export const LiveView = z
  .object({
    visits: Live('Visits to come', EXAMPLE.appointmentId),
    subscriptions: Live('Subscriptions that have not ended, unpaid ones included', EXAMPLE.subscriptionId),
  })
  .meta({ component: 'LiveCare' });
export type LiveView = z.infer<typeof LiveView>;

const Problem = z.object({
  provider: IntegrationProvider.meta({ description: 'Who did not do what was asked.' }),
  code: z.string().meta({ examples: ['provider_unavailable'] }),
  detail: z.string().meta({ description: 'A sentence a person can act on.' }),
});
export const CareEndingView = z
  .object({
    since: UtcInstant,
    state: z.enum(['in_progress', 'needs_attention']).meta({
      description: '`needs_attention`: a provider refuses, as `problems` say; it is tried again ever more seldom.',
    }),
    problems: z.array(Problem).meta({ description: 'What stood in the way last time.', examples: [[]] }),
    live: LiveView,
  })
  .meta({ component: 'CareEnding' });
export type CareEndingView = z.infer<typeof CareEndingView>;

/** The answer to archiving: the patient, and what has to end first. */
export const ArchivedPatientView = PatientView.extend({
  care_ending: CareEndingView.nullable().meta({
    description: 'Not null while visits and subscriptions are being ended; the patient is archived once they are.',
    examples: [null],
  }),
}).meta({ component: 'ArchivedPatient' });
export type ArchivedPatientView = z.infer<typeof ArchivedPatientView>;

export const ArchivePatientInput = z.strictObject({
  id: PatientId,
  end_care: flag.optional().meta({
    description:
      'Cancels the visits to come and ends the subscriptions first; an application needs `appointments:write` and `subscriptions:write` too. Without it, a patient who has any is not archived: `conflict`, with `meta.live`.',
  }),
});
export type ArchivePatientInput = z.infer<typeof ArchivePatientInput>;

/** Portal: what archiving a patient would end, or is ending, with what staff know it by. */
export type CareView = {
  ending: Pick<CareEndingView, 'since' | 'state' | 'problems'> | null;
  visits: { count: number; items: LiveVisitView[] };
  subscriptions: { count: number; items: LiveSubscriptionView[] };
};
/** `pending`: just being made, and shown nowhere else yet. */
export type LiveVisitView = {
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
