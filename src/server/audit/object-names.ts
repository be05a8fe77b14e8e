import type { AuditEntryView } from '#contract/audit.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import type { ActorNames } from './actor-names.ts';
import type { EntryRow } from './find-entries.ts';

type Bill = { total: bigint; currency: string };
/** What is called by a name, by the type of the object, and bills by their id. */
type Objects = { names: Record<string, Map<string, string>>; bills: Map<string, Bill> };

const INTEGRATIONS = new Map<string, string>([
  ['stripe', 'Stripe'],
  [SCHEDULING_PROVIDER.id, SCHEDULING_PROVIDER.name],
]);

const billIdOf = ({ objectType, objectId, details }: EntryRow): string | null => {
  if (objectType === 'Payment') return objectId === '*' ? null : objectId;
  return typeof details.payment_id === 'string' ? details.payment_id : null;
};

/**
 * Finds the names of what these entries are about, and the bills of payments, in one query for each type that occurs.
 * Patients, colleagues and applications are found by `findNames`.
 */
export async function findObjects({ db, tenantId }: Context, rows: EntryRow[]): Promise<Objects> {
  /** Reads the rows with these ids, if there are any. */
  const readAll = async <Row>(
    ids: string[],
    read: (where: { tenantId: string; id: { in: string[] } }) => Promise<Row[]>,
  ) => (ids.length === 0 ? [] : read({ tenantId, id: { in: [...new Set(ids)] } }));
  const idsOf = (type: string) => rows.filter((row) => row.objectType === type).map(({ objectId }) => objectId);
  const [appointments, subscriptions, endpoints, deliveries, payments] = await Promise.all([
    readAll(idsOf('Appointment').filter(isId), (where) =>
      db.appointment.findMany({ where, select: { id: true, calendar: true } }),
    ),
    readAll(
      idsOf('Subscription').filter((id) => id !== '*'),
      (where) => db.subscription.findMany({ where, select: { id: true, name: true } }),
    ),
    readAll(idsOf('WebhookEndpoint').filter(isId), (where) =>
      db.webhookEndpoint.findMany({ where, select: { id: true, url: true } }),
    ),
    readAll(idsOf('WebhookDelivery').filter(isId), (where) =>
      db.webhookDelivery.findMany({ where, select: { id: true, endpoint: { select: { url: true } } } }),
    ),
    readAll(
      rows.flatMap((row) => billIdOf(row) ?? []),
      (where) => db.payment.findMany({ where, select: { id: true, total: true, currency: true } }),
    ),
  ]);
  return {
    names: {
      // A calendar has its practitioner's name.
      Appointment: new Map(appointments.map(({ id, calendar }) => [id, calendar])),
      Subscription: new Map(subscriptions.flatMap(({ id, name }) => (name ? [[id, name] as const] : []))),
      WebhookEndpoint: new Map(endpoints.map(({ id, url }) => [id, hostOf(url)])),
      WebhookDelivery: new Map(deliveries.map(({ id, endpoint }) => [id, hostOf(endpoint.url)])),
      Integration: INTEGRATIONS,
    },
    bills: new Map(payments.map(({ id, ...bill }) => [id, bill])),
  };
}

/** The rest of an address may hold a secret. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/** What an entry itself says, for objects that may be deleted, or are Stripe's. */
const NAMED_IN_DETAILS: Record<string, string> = { WebhookEndpoint: 'host', Plan: 'name', PromotionCode: 'name' };

/** Returns the name of what an entry is about. */
export function objectName(
  { objectType, objectId, details }: EntryRow,
  names: ActorNames,
  objects: Objects,
): string | null {
  if (objectType === 'StaffUser') return names.staff.get(objectId) ?? null;
  if (objectType === 'Application') return names.applications.get(objectId) ?? null;
  const stored = details[NAMED_IN_DETAILS[objectType] ?? ''];
  return objects.names[objectType]?.get(objectId) || (typeof stored === 'string' ? stored : null);
}

/** Returns the payment that an entry is about: its own amount, and the bill's total and currency. */
export function paymentOf(row: EntryRow, { bills }: Objects): AuditEntryView['payment'] {
  const id = billIdOf(row);
  const { amount, currency: stored } = row.details;
  const bill = id === null ? undefined : bills.get(id);
  const currency = typeof stored === 'string' ? stored : bill?.currency;
  if (id === null || currency === undefined) return null;
  return {
    amount: typeof amount === 'number' ? amount : null,
    total: bill ? Number(bill.total) : null,
    currency,
  };
}
