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

/** What at the provider a finding is about. */
export const FindingObject = z.object({
  type: z.enum(['Account', 'AppointmentType', 'Calendar', 'Form', 'Webhook']),
  id: z
    .string()
    .nullable()
    .meta({ description: 'At the provider.', examples: ['21'] }),
  name: z.string().meta({ description: 'As it is called there.', examples: ['Follow-up visit'] }),
});

/** Something to put right at the provider, or to think about. */
export const Finding = z.object({
  code: z.string().meta({ examples: ['no_active_price'] }),
  message: z.string().meta({ description: 'What is so.', examples: ['There is no price that patients can choose.'] }),
  fix: z
    .string()
    .optional()
    .meta({
      description: 'What to do about it, where the message does not say so itself.',
      examples: ['Make a product with a recurring price in the Stripe dashboard.'],
    }),
  object: FindingObject.optional().meta({
    description: 'What it is about, where it is one thing.',
    examples: [{ type: 'Form', id: '31', name: 'Location' }],
  }),
  link: z
    .object({ label: z.string(), url: z.string() })
    .optional()
    .meta({
      description: 'Where that is done: a page of the provider, or one of the portal (a path).',
      examples: [{ label: 'Open Acuity', url: 'https://secure.acuityscheduling.com/' }],
    }),
  advice: z
    .boolean()
    .optional()
    .meta({ description: '`true` where nothing is wrong with it.', examples: [false] }),
});
export type Finding = z.infer<typeof Finding>;

/** How a clinic wants its subscriptions to go on. */
export const TrialEnd = z.enum(['cancel', 'pause', 'past_due']).meta({
  description:
    'What becomes of a trial that ends without a card: it is canceled, paused until there is one, or billed and past due. Of trials that are made from now on.',
});
export type TrialEnd = z.infer<typeof TrialEnd>;
const MOST_GRACE_DAYS = 90;
const settings = {
  trial_end: TrialEnd,
  trial_once: z.boolean().meta({
    description:
      'Whether a patient has the free trial of a product once only; subscribed to again, it is paid from the first day. Of subscriptions that are made from now on.',
    examples: [true],
  }),
  grace_days: z
    .int()
    .min(0)
    .max(MOST_GRACE_DAYS)
    .meta({
      description: 'How many days a patient keeps what was bought while a bill is unpaid; see `grace_until`.',
      examples: [7],
    }),
  patients_may_cancel: z
    .boolean()
    .meta({ description: 'Whether patients end subscriptions, and call off an end, by themselves.', examples: [true] }),
  patients_may_change_plan: z
    .boolean()
    .meta({ description: 'Whether patients change prices and quantities by themselves.', examples: [true] }),
  proration: Proration,
};
export const BillingSettings = z.object(settings).meta({ component: 'BillingSettings' });
export type BillingSettings = z.infer<typeof BillingSettings>;
/** What is left out stays as it is. */
export const UpdateStripeInput = z.strictObject(settings).partial();
export type UpdateStripeInput = z.infer<typeof UpdateStripeInput>;

export const StripeRepairView = z.object({
  id: z.string(),
  object_id: z.string().meta({
    description: '`sub_…`, `in_…` or `cus_…`; of Acuity an appointment’s id, or Acuity’s own id.',
    examples: [EXAMPLE.subscriptionId],
  }),
  found_by: z.enum(['events', 'comparison', 'reading']),
  what: z.string().meta({
    description:
      '`status:canceled` and the like, `details`, `payments`, `adopted` or `customer_deleted`; of Acuity `scheduled`, `rescheduled`, `canceled`, `changed`, `gone`, `unmatched` or `webhook`.',
    examples: ['status:canceled'],
  }),
  created_at: UtcInstant,
});
export type StripeRepairView = z.infer<typeof StripeRepairView>;

/** A subscription at Stripe whose customer is no patient here. */
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

/** How our copies of subscriptions keep up with Stripe, or our appointments with Acuity. */
export const StripeSyncView = z.object({
  last_webhook_at: UtcInstant.nullable().meta({ description: 'Null when none came in the last 30 days.' }),
  last_reconcile_at: UtcInstant.nullable().meta({
    description: 'When the provider was last asked for what webhooks may have lost.',
  }),
  answered: z.boolean().meta({ description: 'Whether it answered then.', examples: [true] }),
  compared_at: UtcInstant.nullable().meta({ description: 'When all of them had last been compared.' }),
  compared: z.int().meta({ description: 'How many there were.', examples: [120] }),
  bound_seconds: z.number().meta({ description: 'Within how many seconds a lost change is found.', examples: [900] }),
  repaired: z
    .int()
    .meta({ description: 'How often something was put right that no webhook had told of.', examples: [0] }),
  repairs: z.array(StripeRepairView).meta({ description: 'The last of them.', examples: [[]] }),
  unknown: z.array(UnknownSubscriptionView).meta({
    description: 'Subscriptions whose customer is no patient here, unless they are to be left alone; the newest.',
    examples: [[]],
  }),
  unmatched: z
    .int()
    .optional()
    .meta({
      description: 'Of Acuity: how many bookings to come are of nobody who is a patient here.',
      examples: [0],
    }),
});
export type StripeSyncView = z.infer<typeof StripeSyncView>;

/** How a provider stands. Credentials are write-only and never shown. */
export const IntegrationView = z
  .object({
    provider: IntegrationProvider,
    status: z.enum(['connected', 'degraded', 'disconnected']).meta({
      description: '`degraded`: connected, and something keeps it from working as it should; `findings` say what.',
    }),
    account_id: z
      .string()
      .nullable()
      .meta({ description: 'At the provider.', examples: ['acct_ExampleClinic'] }),
    publishable_key: z
      .string()
      .nullable()
      .meta({ description: 'What Stripe.js is opened with; null for others.', examples: ['pk_test_example'] }),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).meta({
      description: 'What the provider says of the account.',
      examples: [{ charges_enabled: true, payouts_enabled: true, details_submitted: true, country: 'US' }],
    }),
    requirements: z
      .array(z.string())
      .meta({ description: 'What the provider still asks for, in words.', examples: [['A bank account for payouts']] }),
    findings: z.array(Finding),
    checked_at: UtcInstant.nullable().meta({ description: 'When the provider was last asked.' }),
    settings: BillingSettings.optional().meta({ description: 'Of Stripe alone. Not in events.' }),
    sandbox_url: z
      .string()
      .optional()
      .meta({
        description: 'In a sandbox, the page of the emulator that stands for the provider. Not in events.',
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
    description: 'The API key in Acuity. Kept encrypted and never shown.',
    examples: ['a-secret-key'],
  }),
};
/** As a form asks for them. */
export const AcuityCredentials = z.strictObject(credentials);
export type AcuityCredentials = z.infer<typeof AcuityCredentials>;
/** Each under one of its two names: as Acuity calls it, or as those know it who connect Acuity to something. */
const eitherName = {
  user_id: credentials.user_id.optional(),
  api_key: credentials.api_key.optional(),
  credentials: credentials.user_id.optional().meta({ description: 'Another name of `user_id`.', examples: ['12345'] }),
  credentials_secret: credentials.api_key
    .optional()
    .meta({ description: 'Another name of `api_key`.', examples: ['a-secret-key'] }),
};
/** Both are needed. */
export const ConnectAcuityInput = z.strictObject(eitherName);
export type ConnectAcuityInput = z.infer<typeof ConnectAcuityInput>;
/** What is left out stays as it is. */
export const UpdateAcuityInput = z.strictObject(eitherName);
export type UpdateAcuityInput = z.infer<typeof UpdateAcuityInput>;

/** In a sandbox alone, in the portal: what a finding is about is put right at the emulator. */
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
      description: 'The account that is connected: so a request that comes again late ends no other one.',
      examples: ['12345'],
    }),
});
export type DisconnectAcuityInput = z.infer<typeof DisconnectAcuityInput>;

export const DisconnectStripeInput = z.strictObject({
  account_id: AccountId.meta({
    description: 'The account that is connected: so a request that comes again late ends no other one.',
  }),
});
export type DisconnectStripeInput = z.infer<typeof DisconnectStripeInput>;

const page = (description: string) =>
  storable(2000)
    .min(1)
    .optional()
    .meta({ description, examples: [`${EXAMPLE.website}/settings`] });
/** On the organisation's allowed origins; the portal's own page unless said. */
export const StripeOnboardingInput = z.strictObject({
  return_url: page('Where Stripe leads to afterwards, on an allowed origin; the Integrations page unless said.'),
  refresh_url: page(
    'Where Stripe leads to when the link has run out, on an allowed origin, for a new one; else the Integrations page, which makes one.',
  ),
});
export type StripeOnboardingInput = z.infer<typeof StripeOnboardingInput>;
export const OnboardingLinkView = z
  .object({
    url: z.string().meta({
      description: "Stripe's page where the account's holder gives its details; it opens once, and for minutes only.",
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
