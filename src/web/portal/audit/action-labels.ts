import type { AuditActor, AuditEntryView } from '#contract/audit.ts';
import type { AuditKind } from '#contract/audit-kinds.ts';
import { formatCount, pluralize } from '#web/ui/count-label.ts';
import { formatMoney } from '#web/ui/format-money.ts';
import { ROLE_NAMES } from '../me.tsx';
import { textOf } from './action-texts.ts';
import type { AuditRow } from './fold-entries.ts';

const KIND_LABELS: Record<AuditKind, string> = {
  charts: 'Charts opened',
  patients: 'Patients',
  notes: 'Notes',
  tasks: 'Tasks',
  appointments: 'Appointments',
  visits: 'Video visits',
  messages: 'Messages to patients',
  subscriptions: 'Subscriptions',
  payments: 'Payments and cards',
  plans: 'Plans and promotion codes',
  sign_ins: 'Patients’ sign-ins',
  account: 'Sign-ins to the portal',
  team: 'Team',
  applications: 'Applications',
  tokens: 'API access',
  events: 'Events read',
  webhooks: 'Webhooks',
  settings: 'Settings and connections',
  audit: 'The audit log',
};
/** Kinds of actions for the filter. */
export const KIND_OPTIONS: { value: AuditKind | ''; label: string }[] = [
  { value: '', label: 'Anything' },
  ...Object.entries(KIND_LABELS).map(([value, label]) => ({ value: value as AuditKind, label })),
];

const KIND_OF: Record<AuditActor['type'], string> = {
  Admin: 'A former administrator',
  Practitioner: 'A former colleague',
  Staff: 'A former colleague',
  Application: 'An application',
  Patient: 'A patient',
  Visitor: 'Someone not signed in',
  System: 'The service',
};
export const actorName = ({ type, name }: AuditActor): string => name ?? KIND_OF[type] ?? type;

type DescribedEntry = Pick<
  AuditEntryView,
  | 'action'
  | 'outcome'
  | 'actor'
  | 'patients'
  | 'patient_count'
  | 'on_behalf_of'
  | 'object'
  | 'event'
  | 'payment'
  | 'details'
>;

/** What a patient did at the provider. The service records it, but the patient is the subject of the sentence. */
const PATIENT_TEXTS: Record<string, string> = {
  'subscription.payment_succeeded': 'paid {sum}',
  'subscription.payment_failed': 'could not pay {sum}',
  'subscription.payment_action_required': 'has to confirm a payment',
  'subscription.disputed': 'disputed a payment of {sum}',
};
const REFUNDED_AT_PROVIDER = 'note|noted that {m} was refunded to {p} at Stripe';
const isOfService = ({ actor, outcome }: DescribedEntry) => actor.type === 'System' && outcome === 'done';
const patientTextOf = (entry: DescribedEntry): string | undefined =>
  entry.event !== null && isOfService(entry) ? PATIENT_TEXTS[entry.event] : undefined;

/** Returns the name that the description follows: the actor's, or the patient's who paid. */
export const subjectOf = (entry: DescribedEntry): string =>
  patientTextOf(entry) ? (entry.patients[0]?.name ?? 'A patient') : actorName(entry.actor);

/** Describes an entry, to follow a name: "opened the chart of Ada Example". An unknown action is shown by its name. */
export function describeEntry(entry: DescribedEntry): string {
  const { outcome, event, on_behalf_of } = entry;
  const patientText = patientTextOf(entry);
  if (patientText) return patientText.replace('{sum}', () => sumOf(entry) ?? 'a bill');
  const isRefundAtProvider = event === 'subscription.refunded' && isOfService(entry);
  const text = isRefundAtProvider ? REFUNDED_AT_PROVIDER : textOf(entry.action, entry.details);
  const [infinitive, past] = text.split('|') as [string, string];
  const filled = fill(past, entry);
  // The past form holds the whole phrase; the infinitive form holds only the verb.
  const rest = filled.slice(filled.indexOf(' ', pastLength(infinitive)));
  const sentence = outcome === 'done' ? filled : `tried to ${infinitive}${rest}`;
  const effect = entry.details.unchanged === true ? ', which changed nothing' : '';
  return sentence + effect + (on_behalf_of ? `, in the name of ${on_behalf_of.name ?? 'a patient'}` : '');
}

/** A two-word verb such as "sign in" also has a past form of two words. */
const pastLength = (infinitive: string): number => (infinitive.includes(' ') ? infinitive.length : 0);

function fill(text: string, entry: DescribedEntry): string {
  const { patients, patient_count: count, details } = entry;
  const first = patients[0] && (patients[0].name ?? 'a patient without a name');
  const many = count === 0 ? 'no patient' : count === 1 ? (first ?? 'a patient') : `${count} patients`;
  const name = nameOf(entry);
  const [from, to] = [roleName(details.from), roleName(details.role)];
  const values: Record<string, string> = {
    p: count > 1 ? many : (first ?? 'someone'),
    l: many,
    b: patients.length === 2 ? patients.map(({ name }) => name ?? 'a patient without a name').join(' and ') : many,
    m: moneyOf(entry),
    as: to && ` as ${to}`,
    roles: (from && ` from ${from}`) + (to && ` to ${to}`),
    code: typeof details.promotion_code === 'string' ? ` by the promotion code ${details.promotion_code}` : '',
  };
  return (
    text
      .replace(/\[(.*?)\]/g, (_, optional: string) => (name ? optional : ''))
      // A function: `$` in a value is no pattern.
      .replace(/\{(\w+)(?::([^}]*))?\}/g, (_, key: string, words = '') => (key === 'n' ? name || words : values[key]))
  );
}

const roleName = (role: unknown): string => (ROLE_NAMES as Record<string, string>)[String(role)] ?? '';

/** What precedes the name of an object that is no person. */
const NAMED: Record<string, string> = {
  Application: 'the application ',
  WebhookEndpoint: 'the webhook receiver at ',
  WebhookDelivery: 'the webhook receiver at ',
};
/** Empty for an object without a name, and for actors who act on themselves. */
const nameOf = ({ object, actor }: DescribedEntry): string =>
  object.name === null || object.id === actor.id ? '' : `${NAMED[object.type] ?? ''}${object.name}`;

/** "$490.00" */
const sumOf = ({ payment }: DescribedEntry): string | null => {
  const amount = payment?.amount ?? payment?.total ?? null;
  return payment && amount !== null ? formatMoney(amount, payment.currency) : null;
};

/** "$90.00 of $490.00"; "a payment of $490.00" where no part of it is meant. */
function moneyOf(entry: DescribedEntry): string {
  const { payment } = entry;
  const sum = sumOf(entry);
  if (!payment || sum === null) return 'a payment';
  if (payment.amount === null) return `a payment of ${sum}`;
  const isPart = payment.total !== null && payment.amount < payment.total;
  return isPart ? `${sum} of ${formatMoney(payment.total ?? 0, payment.currency)}` : sum;
}

const OUTCOMES: Record<string, string> = {
  forbidden: 'Not allowed',
  not_found: 'Not found',
  invalid_credentials: 'Wrong password',
  invalid_client: 'Wrong secret',
  invalid_code: 'Wrong code',
  expired_code: 'Code too old',
  too_many_tries: 'Too many wrong codes',
};
export const outcomeLabel = (outcome: string): string => OUTCOMES[outcome] ?? 'Refused';

/** Describes a row of the log, to follow its subject: of several reads the most telling, or how many patients they showed. */
export function describeRow({ lead, lists }: AuditRow): string {
  if (!lists) return describeEntry(lead);
  const { patients, isAtLeast } = lists;
  if (patients === 0) return 'saw lists without a patient';
  return `saw ${isAtLeast ? 'at least ' : ''}${pluralize(patients, 'patient')} in lists`;
}

/** "and 9 more reads"; null for a row of one entry. A row of lists is described as a whole. */
export function moreReads({ entries, lists }: AuditRow): string | null {
  if (entries.length === 1) return null;
  if (lists) return `(${pluralize(entries.length, 'read')})`;
  return `and ${formatCount(entries.length - 1)} more ${entries.length === 2 ? 'read' : 'reads'}`;
}
