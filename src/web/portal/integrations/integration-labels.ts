import type {
  Finding,
  IntegrationProvider,
  IntegrationView,
  StripeRepairView,
  StripeSyncView,
} from '#contract/integrations.ts';
import type { VideoCheckView } from '#contract/system.ts';
import { zoneName } from '#web/ui/format-time.ts';
import type { TriedRelay } from '../../ui/visit-call/network-path.ts';

const SUBSCRIPTION_STATUSES: Record<string, string> = {
  incomplete: 'it waits for its first payment',
  incomplete_expired: 'it was never paid and has expired',
  trialing: 'it is on trial',
  active: 'it is active',
  past_due: 'a payment is due',
  canceled: 'it has ended',
  unpaid: 'it is unpaid',
  paused: 'it is paused',
};

const ACUITY_REPAIRS: Record<string, string> = {
  scheduled: 'An appointment that was booked in Acuity was taken in',
  rescheduled: 'An appointment was moved as in Acuity',
  canceled: 'An appointment was canceled as in Acuity',
  gone: 'An appointment was canceled that is not in Acuity any more',
  unmatched: 'A booking of someone who is not a patient here was brought up to date',
  webhook: 'Acuity was asked again to send changes',
};

/** Describes a repair as the end of a sentence: "A subscription: it has ended". */
export function repairLabel(
  { what }: Pick<StripeRepairView, 'what'>,
  provider: IntegrationProvider = 'stripe',
): string {
  if (provider === 'acuity') return ACUITY_REPAIRS[what] ?? 'The details of an appointment were brought up to date';
  if (what === 'customer_deleted') return 'A customer was deleted at Stripe';
  if (what === 'payments') return 'A payment was brought up to date';
  if (what === 'adopted') return 'A subscription that was made at Stripe was taken in';
  const status = SUBSCRIPTION_STATUSES[what.replace(/^status:/, '')];
  return status
    ? `A subscription was brought up to date: ${status}`
    : 'The details of a subscription were brought up to date';
}

/** "15 minutes", "60 seconds" */
export const boundLabel = ({ bound_seconds }: Pick<StripeSyncView, 'bound_seconds'>): string =>
  bound_seconds >= 120 ? `${Math.round(bound_seconds / 60)} minutes` : `${bound_seconds} seconds`;

type Value = string | number | boolean;

const LOCALE = 'en-US';
const yesOrNo = (value: Value) => (value ? 'Yes' : 'Not yet');
const named = (type: 'region' | 'currency') => (value: Value) =>
  new Intl.DisplayNames(LOCALE, { type, fallback: 'code' }).of(String(value).toUpperCase()) ?? String(value);

/** Details of a provider's account that are displayed, and their format; others are for programs. */
const DETAILS: Record<string, [term: string, say: (value: Value) => string]> = {
  charges_enabled: ['Can take payments', yesOrNo],
  payouts_enabled: ['Pays out to your bank', yesOrNo],
  details_submitted: ['All details given', yesOrNo],
  country: ['Country', named('region')],
  default_currency: ['Currency', named('currency')],
  active_prices: ['Prices on offer', String],
  name: ['Name', String],
  time_zone: ['Time zone', (value) => zoneName(String(value))],
  webhook_id: ['Reports changes', () => 'Yes'],
};

/** An account's details in terms that clinic staff know. */
export function accountDetails(details: IntegrationView['details']): { term: string; value: string }[] {
  return Object.entries(DETAILS).flatMap(([key, [term, format]]) => {
    const value = details[key];
    return value === null || value === undefined ? [] : [{ term, value: format(value) }];
  });
}

/**
 * Findings about a relay that takes our credentials, but brings nothing from this browser to itself. Where a server fails
 * the service's own check, that finding explains it.
 */
export const relayFindings = ({ servers }: Pick<VideoCheckView, 'servers'>, relay: TriedRelay | null): Finding[] =>
  !relay || relay.works || servers.some(({ works }) => !works)
    ? []
    : [
        {
          code: 'relay_passes_nothing',
          message: 'The relay answers, but passed nothing on for this browser.',
          fix: 'Let the UDP ports from min-port to max-port in through its firewall and, behind address translation, set external-ip. If both are right, this browser’s network blocks the relay.',
        },
      ];
