import Stripe from 'stripe';
import type { Sandbox } from './clinic.ts';
import { STRIPE_SECRET_KEY } from './services.ts';

/** Attaches a test card to a patient's customer, as Stripe.js would. @returns its id */
export async function saveCard(
  { ctx, stripe: { emulator } }: Pick<Sandbox, 'ctx' | 'stripe'>,
  patientId: string,
): Promise<string> {
  const { accountId, customerId } = await ctx.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
  const { hostname, port } = new URL(emulator.url);
  const stripe = new Stripe(STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
  const card = await stripe.paymentMethods.attach(
    'pm_card_visa',
    { customer: customerId },
    { stripeAccount: accountId },
  );
  return card.id;
}
