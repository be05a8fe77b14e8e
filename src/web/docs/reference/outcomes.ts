const NOW = '2026-11-16T15:04:05.000Z';

/** Changes that an operation makes to its example response, by operation id. */
export const OUTCOMES: Record<string, object> = {
  'invitations.create': { status: 'invited' },
  'invitations.invite': { status: 'invited' },
  'patients.archive': { status: 'archived', can_sign_in: false, archived_at: NOW, care_ending: null },
  'patients.unarchive': { can_sign_in: false },
  'subscriptions.cancel': {
    status: 'canceled',
    canceled_at: NOW,
    ended_at: NOW,
    latest_invoice: {
      id: 'in_ExampleFirst',
      status: 'paid',
      amount_due: 4900,
      currency: 'usd',
      payment_intent: { id: 'pi_ExampleFirst', status: 'succeeded' },
    },
    next_action: 'none',
  },
  'appointments.reschedule': { from_date: '2026-11-24T14:00:00-05:00', to_date: '2026-11-24T14:30:00-05:00' },
  'appointments.cancel': { status: 'canceled', canceled_at: NOW },
};
