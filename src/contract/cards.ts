import { z } from 'zod';
import { text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';

const PaymentMethodId = text(255)
  .regex(/^[a-z]+_[A-Za-z0-9_]+$/, 'must be a payment method id (pm_…)')
  .meta({ description: 'A payment method id (`pm_…`).', examples: ['pm_1QExampleAda'] });
const ofPatient = PatientId.meta({ description: 'The patient who owns the card; patients pass their own id.' });
const listedPatient = PatientId.optional().meta({
  description: 'The patient whose payment methods are listed. Required for applications; patients get their own.',
  examples: [EXAMPLE.patientId],
  'x-needed-by-applications': true,
});

/** What an app needs to open Stripe's card fields. */
export const PaymentClient = z
  .object({
    publishable_key: z.string().meta({ examples: ['pk_test_example'] }),
    account_id: z.string().meta({ description: '`stripeAccount` of Stripe.js.', examples: ['acct_ExampleClinic'] }),
    script_url: z
      .string()
      .nullable()
      .meta({
        description:
          'In a sandbox that emulates Stripe, the script to load before Stripe.js is initialised; it works in browsers on the machine that runs the sandbox. In production, and with a Stripe account of your own, null: Stripe.js loads from Stripe’s own address.',
        examples: [null],
      }),
  })
  .meta({ description: 'The values to initialise Stripe.js with.' });
export type PaymentClient = z.infer<typeof PaymentClient>;

/** The payment method that a subscription is charged to. Only the last four digits of a card's number are stored. */
export const ChargedMethod = z.object({
  id: z.string().meta({ description: "Stripe's id.", examples: ['pm_1QExampleAda'] }),
  type: z.string().meta({ description: "Stripe's type: `card`, `link`, …", examples: ['card'] }),
  brand: z
    .string()
    .nullable()
    .meta({ description: 'For cards: `visa`, `mastercard`, …', examples: ['visa'] }),
  last4: z
    .string()
    .nullable()
    .meta({ examples: ['4242'] }),
  exp_month: z
    .int()
    .nullable()
    .meta({ examples: [12] }),
  exp_year: z
    .int()
    .nullable()
    .meta({ description: 'Four digits.', examples: [2029] }),
});
export type ChargedMethod = z.infer<typeof ChargedMethod>;

/** A saved payment method: a card, or another type that Stripe's fields save. */
export const PaymentMethodView = ChargedMethod.extend({
  patient_id: PatientId,
  is_default: z.boolean().meta({ description: 'Whether subscriptions are charged to it.', examples: [true] }),
  created_at: UtcInstant,
}).meta({ component: 'PaymentMethod' });
export type PaymentMethodView = z.infer<typeof PaymentMethodView>;

export const ListPaymentMethodsInput = z.strictObject({ patient_id: listedPatient });
export type ListPaymentMethodsInput = z.infer<typeof ListPaymentMethodsInput>;

export const SetDefaultPaymentMethodInput = z.strictObject({
  id: PaymentMethodId,
  patient_id: ofPatient,
  is_default: z.literal(true).meta({ description: 'All live subscriptions are charged to it from now on.' }),
});
export type SetDefaultPaymentMethodInput = z.infer<typeof SetDefaultPaymentMethodInput>;

export const RemovePaymentMethodInput = z.strictObject({ id: PaymentMethodId, patient_id: ofPatient });
export type RemovePaymentMethodInput = z.infer<typeof RemovePaymentMethodInput>;

/** A card to be saved for later use; Stripe.js saves it with the client secret. */
export const SetupIntentView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: ['seti_1QExampleAda'] }),
    patient_id: PatientId,
    status: z.string().meta({
      description: "Stripe's status; `succeeded` once the card is saved.",
      examples: ['requires_payment_method'],
    }),
    payment_method_id: z
      .string()
      .nullable()
      .meta({ description: 'The saved payment method, once there is one.', examples: [null] }),
    client_secret: z
      .string()
      .optional()
      .meta({
        description:
          'For Stripe.js. Returned only in the response that creates it, to the patient or application that created it.',
        examples: ['seti_1QExampleAda_secret_Abc123'],
      }),
    payment_client: PaymentClient,
    created_at: UtcInstant,
  })
  .meta({ component: 'SetupIntent' });
export type SetupIntentView = z.infer<typeof SetupIntentView>;

export const ListSetupIntentsInput = z.strictObject({ patient_id: listedPatient });
export type ListSetupIntentsInput = z.infer<typeof ListSetupIntentsInput>;
export const CreateSetupIntentInput = z.strictObject({
  patient_id: PatientId.meta({ description: 'The patient whose card is saved.', examples: [EXAMPLE.patientId] }),
});
export type CreateSetupIntentInput = z.infer<typeof CreateSetupIntentInput>;
