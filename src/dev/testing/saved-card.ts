import Stripe from 'stripe';
import type { Clinic } from './clinic.ts';
import { STRIPE_SECRET_KEY } from './services.ts';

/** Attaches a test card to a patient's customer, as Stripe.js would. @returns its id */
export async function saveCard(
  { tenant, emulators }: Pick<Clinic, 'tenant' | 'emulators'>,
  patientId: string,
): Promise<string> {
  const { accountId, customerId } = await tenant.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
  const { hostname, port } = new URL(emulators.urls.stripe);
  const stripe = new Stripe(STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
  const card = await stripe.paymentMethods.attach(
    'pm_card_visa',
    { customer: customerId },
    { stripeAccount: accountId },
  );
  return card.id;
}
