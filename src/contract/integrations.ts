import { z } from 'zod';
import { NumberedPaging, storable, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { Proration } from './subscription-changes.ts';
import { SubscriptionId, SubscriptionStatus } from './subscriptions.ts';

export const IntegrationProvider = z.enum(['stripe', 'acuity']);
export type IntegrationProvider = z.infer<typeof IntegrationProvider>;

const AccountId = z
  .string()
  .regex(/^acct_[A-Za-z0-9]{1,250}$/, 'must be an account id (acct_…)')
  .meta({ description: 'An account id at Stripe (`acct_…`).', examples: ['acct_ExampleClinic'] });

/** The object at the provider that a finding is about. */
export const FindingObject = z.object({
  type: z.enum(['Account', 'AppointmentType', 'Calendar', 'Form', 'Webhook']),
  id: z
    .string()
    .nullable()
    .meta({ description: 'The id at the provider.', examples: ['21'] }),
  name: z.string().meta({ description: 'The name at the provider.', examples: ['Follow-up visit'] }),
});

/** A problem at the provider to fix, or a recommendation. */
export const Finding = z.object({
  code: z.string().meta({ examples: ['no_active_price'] }),
  message: z.string().meta({ description: 'The problem.', examples: ['There is no price that patients can choose.'] }),
  fix: z
    .string()
    .optional()
    .meta({
      description: 'How to fix it, where the message does not say so.',
      examples: ['Make a plan under Plans.'],
    }),
  object: FindingObject.optional().meta({
    description: 'The object that it is about, where it is about a single one.',
    examples: [{ type: 'Form', id: '31', name: 'Location' }],
  }),
  link: z
    .object({ label: z.string(), url: z.string() })
    .optional()
    .meta({
      description: 'Where to fix it: a page of the provider, or a path in the portal.',
      examples: [{ label: 'Open Acuity', url: 'https://secure.acuityscheduling.com/' }],
    }),
  advice: z
    .boolean()
    .optional()
    .meta({ description: '`true` for a recommendation when nothing is wrong.', examples: [false] }),
});
export type Finding = z.infer<typeof Finding>;

/** The clinic's settings for its subscriptions. */
export const TrialEnd = z.enum(['cancel', 'pause', 'past_due']).meta({
  description:
    'What happens when a trial ends without a card: the subscription is canceled, paused until there is a card, or billed and past due. Applies to trials created from now on.',
});
export type TrialEnd = z.infer<typeof TrialEnd>;
const MAX_GRACE_DAYS = 90;
const settings = {
  trial_end: TrialEnd,
  trial_once: z.boolean().meta({
    description:
      'Whether a patient gets the free trial of a product only once; a second subscription is then paid from the first day. Applies to subscriptions created from now on.',
    examples: [true],
  }),
  grace_days: z
    .int()
    .min(0)
    .max(MAX_GRACE_DAYS)
    .meta({
      description: 'The number of days for which a patient keeps access while a bill is unpaid; see `grace_until`.',
      examples: [7],
    }),
  patients_may_cancel: z.boolean().meta({
    description: 'Whether patients may cancel subscriptions, and undo a cancellation, themselves.',
    examples: [true],
  }),
  patients_may_change_plan: z
    .boolean()
    .meta({ description: 'Whether patients may change prices and quantities themselves.', examples: [true] }),
  proration: Proration,
};
export const BillingSettings = z.object(settings).meta({ component: 'BillingSettings' });
export type BillingSettings = z.infer<typeof BillingSettings>;
/** Omitted fields stay unchanged. */
export const UpdateStripeInput = z.strictObject(settings).partial();
export type UpdateStripeInput = z.infer<typeof UpdateStripeInput>;

export const StripeRepairView = z.object({
  id: z.string(),
  object_id: z.string().meta({
    description: '`sub_…`, `in_…` or `cus_…`; for Acuity an appointment’s id, or Acuity’s own id.',
    examples: [EXAMPLE.subscriptionId],
  }),
  found_by: z.enum(['events', 'comparison', 'reading']),
  what: z.string().meta({
    description:
      '`status:canceled` and similar, `details`, `payments`, `adopted` or `customer_deleted`; for Acuity `scheduled`, `rescheduled`, `canceled`, `changed`, `gone`, `unmatched` or `webhook`.',
    examples: ['status:canceled'],
  }),
  created_at: UtcInstant,
});
export type StripeRepairView = z.infer<typeof StripeRepairView>;

/** A subscription at Stripe whose customer is not a patient in this tenant. */
export const UnknownSubscriptionView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: ['sub_ExampleUnknown'] }),
    customer_id: z.string().meta({ examples: ['cus_ExampleUnknown'] }),
    name: z
      .string()
      .nullable()
      .meta({ description: "The plan's name.", examples: ['Essential care'] }),
    status: SubscriptionStatus.meta({ examples: ['active'] }),
    first_seen_at: UtcInstant,
  })
  .meta({ component: 'UnknownSubscription' });
export type UnknownSubscriptionView = z.infer<typeof UnknownSubscriptionView>;

/** How our copies of subscriptions follow Stripe, or our appointments follow Acuity. */
export const StripeSyncView = z.object({
  last_webhook_at: UtcInstant.nullable().meta({ description: 'Null when none arrived in the last 30 days.' }),
  last_reconcile_at: UtcInstant.nullable().meta({
    description: 'When the provider was last queried for changes whose webhooks may be lost.',
  }),
  answered: z.boolean().meta({ description: 'Whether the provider responded to that query.', examples: [true] }),
  compared_at: UtcInstant.nullable().meta({ description: 'When all objects were last compared.' }),
  compared: z.int().meta({ description: 'How many objects were compared.', examples: [120] }),
  bound_seconds: z
    .number()
    .meta({ description: 'The maximum time to find a lost change, in seconds.', examples: [900] }),
  repaired: z.int().meta({ description: 'How many corrections were made without a webhook.', examples: [0] }),
  repairs: z.array(StripeRepairView).meta({ description: 'The latest corrections.', examples: [[]] }),
  unknown: z.array(UnknownSubscriptionView).meta({
    description:
      'The newest subscriptions whose customer is not a patient here, except those that are set to be ignored.',
    examples: [[]],
  }),
  unmatched: z
    .int()
    .optional()
    .meta({
      description: 'For Acuity: the number of upcoming unmatched appointments: those of no patient here.',
      examples: [0],
    }),
});
export type StripeSyncView = z.infer<typeof StripeSyncView>;

/** The status of a provider. Credentials are write-only and never returned. */
export const IntegrationView = z
  .object({
    provider: IntegrationProvider,
    status: z.enum(['connected', 'degraded', 'disconnected']).meta({
      description: '`degraded`: connected, but something prevents it from working correctly; see `findings`.',
    }),
    account_id: z
      .string()
      .nullable()
      .meta({ description: 'The id at the provider.', examples: ['acct_ExampleClinic'] }),
    publishable_key: z
      .string()
      .nullable()
      .meta({
        description: 'The key to initialise Stripe.js with; null for other providers.',
        examples: ['pk_test_example'],
      }),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).meta({
      description: "The provider's data on the account.",
      examples: [{ charges_enabled: true, payouts_enabled: true, details_submitted: true, country: 'US' }],
    }),
    requirements: z.array(z.string()).meta({
      description: 'What the provider still requires, as text for people.',
      examples: [['A bank account for payouts']],
    }),
    findings: z.array(Finding),
    checked_at: UtcInstant.nullable().meta({ description: 'When the provider was last queried.' }),
    settings: BillingSettings.optional().meta({ description: 'For Stripe only. Not in events.' }),
    sandbox_url: z
      .string()
      .optional()
      .meta({
        description: 'In a sandbox, the page of the emulator of the provider. Not in events.',
        examples: ['http://127.0.0.1:4002'],
      }),
    sync: StripeSyncView.optional().meta({ description: 'While it is connected. Not in events.' }),
  })
  .meta({ component: 'Integration' });
export type IntegrationView = z.infer<typeof IntegrationView>;

const credentials = {
  user_id: text(50).meta({
    description: 'The User ID in Acuity, a number: under Integrations, API.',
    examples: ['12345'],
  }),
  api_key: text(200).meta({
    description: 'The API key in Acuity. Stored encrypted and never returned.',
    examples: ['a-secret-key'],
  }),
};
/** The fields of the form. */
export const AcuityCredentials = z.strictObject(credentials);
export type AcuityCredentials = z.infer<typeof AcuityCredentials>;
/** Each field under one of two names: Acuity's name, or the name that integrators of Acuity know. */
const eitherName = {
  user_id: credentials.user_id.optional(),
  api_key: credentials.api_key.optional(),
  credentials: credentials.user_id.optional().meta({ description: 'Alias of `user_id`.', examples: ['12345'] }),
  credentials_secret: credentials.api_key
    .optional()
    .meta({ description: 'Alias of `api_key`.', examples: ['a-secret-key'] }),
};
/** Both credentials are required. */
export const ConnectAcuityInput = z.strictObject(eitherName);
export type ConnectAcuityInput = z.infer<typeof ConnectAcuityInput>;
/** Omitted fields stay unchanged. */
export const UpdateAcuityInput = z.strictObject(eitherName);
export type UpdateAcuityInput = z.infer<typeof UpdateAcuityInput>;

/** Sandbox only, in the portal: fixes the cause of a finding at the emulator. */
export const RepairAcuityInput = z.strictObject({
  code: z.string().regex(/^[a-z_]{1,60}$/),
  object_id: z.string().max(50).nullable().optional(),
});
export type RepairAcuityInput = z.infer<typeof RepairAcuityInput>;

export const DisconnectAcuityInput = z.strictObject({
  account_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a User ID at Acuity (a number)')
    .meta({
      description: 'The connected account, so that a delayed request cannot disconnect another one.',
      examples: ['12345'],
    }),
});
export type DisconnectAcuityInput = z.infer<typeof DisconnectAcuityInput>;

export const DisconnectStripeInput = z.strictObject({
  account_id: AccountId.meta({
    description: 'The connected account, so that a delayed request cannot disconnect another one.',
  }),
});
export type DisconnectStripeInput = z.infer<typeof DisconnectStripeInput>;

const page = (description: string) =>
  storable(2000)
    .min(1)
    .optional()
    .meta({ description, examples: [`${EXAMPLE.website}/settings`] });
/** On the organisation's allowed origins; defaults to the portal's own page. */
export const StripeOnboardingInput = z.strictObject({
  return_url: page('The page that Stripe returns to, on an allowed origin; defaults to the Integrations page.'),
  refresh_url: page(
    'The page that Stripe opens when the link has expired, on an allowed origin; it should request a new link. Defaults to the Integrations page, which does so.',
  ),
});
export type StripeOnboardingInput = z.infer<typeof StripeOnboardingInput>;
export const OnboardingLinkView = z
  .object({
    url: z.string().meta({
      description:
        "Stripe's page where the account's owner enters its details; it opens once and is valid for a few minutes.",
      examples: ['https://connect.stripe.com/setup/s/acct_ExampleClinic/example'],
    }),
    expires_at: UtcInstant,
  })
  .meta({ component: 'OnboardingLink' });
export type OnboardingLinkView = z.infer<typeof OnboardingLinkView>;

export const ListUnknownSubscriptionsInput = z.strictObject({ ...NumberedPaging });
export type ListUnknownSubscriptionsInput = z.infer<typeof ListUnknownSubscriptionsInput>;
export const AttachSubscriptionInput = z.strictObject({ id: SubscriptionId, patient_id: PatientId });
export type AttachSubscriptionInput = z.infer<typeof AttachSubscriptionInput>;
