import { byPatient, type Offer, object, open, type Sample } from './sample.ts';

const subscription = (rest: string, body?: unknown) =>
  object(({ subscriptionId }) => `/subscriptions/${subscriptionId}${rest}`, body);
const payment = (rest: string, body?: unknown) => object(({ paymentId }) => `/payments/${paymentId}${rest}`, body);

/** Requests for plans, subscriptions, payments and cards. */
export function billingSamples(offer: Offer): Record<string, Sample> {
  return {
    'GET /subscription_plans': open('/subscription_plans'),
    'GET /promotion_codes/{code}': open(`/promotion_codes/welcome20?price_ids[]=${offer.priceId}`),
    'GET /subscriptions': byPatient('/subscriptions'),
    'POST /subscriptions': {
      kind: 'create',
      request: ({ patientId }) => ({
        path: '/subscriptions',
        body: { patient_id: patientId, price_ids: [offer.priceId] },
      }),
    },
    'POST /checkout_sessions': {
      kind: 'create',
      request: ({ patientId }) => ({
        path: '/checkout_sessions',
        body: {
          patient_id: patientId,
          price_ids: [offer.priceId],
          success_url: offer.page,
          cancel_url: offer.page,
          allow_duplicate: true,
        },
      }),
    },
    'GET /subscriptions/{id}': subscription(''),
    'PATCH /subscriptions/{id}': subscription('', {}),
    // The target's subscription is waiting for its first payment.
    'GET /subscriptions/{id}/preview': {
      ...subscription(`/preview?price_ids[]=${offer.priceId}&allow_duplicate=true`),
      meets: 'conflict',
    },
    'POST /subscriptions/{id}/cancel': { ...subscription('/cancel', {}), consumes: true },
    'POST /subscriptions/{subscription_id}/checkout_link': subscription('/checkout_link', {}),
    'POST /subscriptions/{subscription_id}/manage_link': subscription('/manage_link', {}),
    'GET /payments': byPatient('/payments'),
    'GET /payments/{id}': payment(''),
    // The target's payment is not paid yet.
    'POST /payments/{id}/refund': { ...payment('/refund', {}), meets: 'conflict' },
    'GET /setup_intents': byPatient('/setup_intents'),
    'POST /setup_intents': {
      kind: 'create',
      request: ({ patientId }) => ({ path: '/setup_intents', body: { patient_id: patientId } }),
    },
    'GET /payment_methods': byPatient('/payment_methods'),
    'PATCH /payment_methods/{id}': {
      kind: 'create',
      request: ({ patientId, cardId }) => ({
        path: `/payment_methods/${cardId}`,
        body: { patient_id: patientId, is_default: true },
      }),
    },
    'DELETE /payment_methods/{id}': {
      kind: 'create',
      request: ({ patientId, cardId }) => ({ path: `/payment_methods/${cardId}?patient_id=${patientId}` }),
      consumes: true,
    },
  };
}
