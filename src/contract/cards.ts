import { z } from 'zod';
import { text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';

const PaymentMethodId = text(255)
  .regex(/^[a-z]+_[A-Za-z0-9_]+$/, 'must be a payment method id (pm_…)')
  .meta({ description: 'A payment method id (`pm_…`).', examples: ['pm_1QExampleAda'] });
const ofPatient = PatientId.meta({ description: 'Whose card it is; a patient names itself.' });
const whose = PatientId.optional().meta({
  description: 'Whose they are. Applications have to say; patients are given their own.',
  examples: [EXAMPLE.patientId],
  'x-needed-by-applications': true,
});

/** What a page of an app opens the processor's card fields with. */
export const PaymentClient = z
  .object({
    publishable_key: z.string().meta({ examples: ['pk_test_example'] }),
    account_id: z.string().meta({ description: '`stripeAccount` of Stripe.js.', examples: ['acct_ExampleClinic'] }),
    script_url: z
      .string()
      .nullable()
      .meta({
        description:
          'In a sandbox that plays Stripe itself, the script to load before Stripe.js is opened; in production, and with a Stripe account of your own, null: Stripe.js comes from Stripe’s own address then, as its loader does by itself. It works in browsers of the machine that the sandbox runs on.',
        examples: [null],
      }),
  })
  .meta({ description: 'What Stripe.js is opened with.' });
export type PaymentClient = z.infer<typeof PaymentClient>;

/** What a subscription is charged to. Of a card's number only the last four digits are known here. */
export const ChargedMethod = z.object({
  id: z.string().meta({ description: "Stripe's id.", examples: ['pm_1QExampleAda'] }),
  type: z.string().meta({ description: "Stripe's word: `card`, `link`, …", examples: ['card'] }),
  brand: z
    .string()
    .nullable()
    .meta({ description: 'Of a card: `visa`, `mastercard`, …', examples: ['visa'] }),
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
    .meta({ description: 'With four digits.', examples: [2029] }),
});
export type ChargedMethod = z.infer<typeof ChargedMethod>;

/** A payment method on file: a card, or what else Stripe's fields save. */
export const PaymentMethodView = ChargedMethod.extend({
  patient_id: PatientId,
  is_default: z.boolean().meta({ description: 'Subscriptions are paid with it.', examples: [true] }),
  created_at: UtcInstant,
}).meta({ component: 'PaymentMethod' });
export type PaymentMethodView = z.infer<typeof PaymentMethodView>;

export const ListPaymentMethodsInput = z.strictObject({ patient_id: whose });
export type ListPaymentMethodsInput = z.infer<typeof ListPaymentMethodsInput>;

export const SetDefaultPaymentMethodInput = z.strictObject({
  id: PaymentMethodId,
  patient_id: ofPatient,
  is_default: z.literal(true).meta({ description: 'All live subscriptions are paid with it from now on.' }),
});
export type SetDefaultPaymentMethodInput = z.infer<typeof SetDefaultPaymentMethodInput>;

export const RemovePaymentMethodInput = z.strictObject({ id: PaymentMethodId, patient_id: ofPatient });
export type RemovePaymentMethodInput = z.infer<typeof RemovePaymentMethodInput>;

/** A card that is to be saved for later; Stripe.js does it with the secret. */
export const SetupIntentView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: ['seti_1QExampleAda'] }),
    patient_id: PatientId,
    status: z.string().meta({
      description: "Stripe's word; `succeeded` once the card is saved.",
      examples: ['requires_payment_method'],
    }),
    payment_method_id: z
      .string()
      .nullable()
      .meta({ description: 'What was saved, once there is something.', examples: [null] }),
    client_secret: z
      .string()
      .optional()
      .meta({
        description: 'For Stripe.js. Only in the answer of the create, to the patient or the application that asks.',
        examples: ['seti_1QExampleAda_secret_Abc123'],
      }),
    payment_client: PaymentClient,
    created_at: UtcInstant,
  })
  .meta({ component: 'SetupIntent' });
export type SetupIntentView = z.infer<typeof SetupIntentView>;

export const ListSetupIntentsInput = z.strictObject({ patient_id: whose });
export type ListSetupIntentsInput = z.infer<typeof ListSetupIntentsInput>;
export const CreateSetupIntentInput = z.strictObject({
  patient_id: PatientId.meta({ description: 'Whose card is to be saved.', examples: [EXAMPLE.patientId] }),
});
export type CreateSetupIntentInput = z.infer<typeof CreateSetupIntentInput>;
