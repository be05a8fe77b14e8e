import { LIST_ACCESS_DAYS, type ListAuditInput } from '#contract/audit.ts';
import { actionsMatching } from '#contract/audit-actions.ts';
import { type AuditKind, actionsOfKind, PAYMENT_EVENTS } from '#contract/audit-kinds.ts';
import { Prisma, type Tx } from '#server/core/db.ts';

export type EntryRow = {
  id: string;
  position: bigint;
  /** As stored: possibly a former name. */
  action: string;
  outcome: string | null;
  objectType: string;
  objectId: string;
  patients: string[];
  patientCount: number;
  actorType: string;
  actorId: string;
  onBehalfOf: string | null;
  address: string | null;
  userAgent: string | null;
  requestId: string;
  event: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
};
export type Filter = Omit<ListAuditInput, 'size' | 'starting_after' | 'ending_before' | 'with_total'>;

const { sql } = Prisma;
const PATIENTS_SHOWN = 20;

/**
 * Matches entries about a patient. Entries on a single patient use an index; entries on lists are scanned, because
 * PostgreSQL uses no array index under row-level security, and therefore only for recent days.
 */
export const isAboutPatient = (patientId: string): Prisma.Sql => sql`(patient_id = ${patientId}::uuid
  or (patient_id is null and created_at > now() - make_interval(days => ${LIST_ACCESS_DAYS}::int)
    and patient_ids @> array[${patientId}::uuid]))`;

/** Matches entries of a kind. Payments are recorded with their subscription; their event tells them apart. */
function isOfKind(kind: AuditKind): Prisma.Sql {
  const isOfActions = (of: AuditKind) => sql`action = any(${actionsOfKind(of)}::text[])`;
  const isOfPayment = sql`event = any(${PAYMENT_EVENTS}::text[])`;
  if (kind === 'payments')
    return sql`(${isOfActions('payments')} or (${isOfActions('subscriptions')} and ${isOfPayment}))`;
  if (kind !== 'subscriptions') return isOfActions(kind);
  return sql`${isOfActions(kind)} and (event is null or not ${isOfPayment})`;
}

export function auditFilter(tenantId: string, filter: Filter): Prisma.Sql {
  const { patient_id, actor_id, actor_type, action, kind, outcome, since, until } = filter;
  const terms = [
    sql`tenant_id = ${tenantId}::uuid`,
    ...(patient_id ? [isAboutPatient(patient_id)] : []),
    ...(actor_id ? [sql`actor_id = ${actor_id}`] : []),
    ...(actor_type ? [sql`actor_type = ${actor_type}`] : []),
    ...(action ? [sql`action = any(${actionsMatching(action)}::text[])`] : []),
    ...(kind ? [isOfKind(kind)] : []),
    ...(outcome ? [outcome === 'done' ? sql`outcome is null` : sql`outcome is not null`] : []),
    ...(since ? [sql`created_at >= ${new Date(since)}::timestamptz`] : []),
    ...(until ? [sql`created_at <= ${new Date(until)}::timestamptz`] : []),
  ];
  return Prisma.join(terms, ' and ');
}

type Page = { where: Prisma.Sql; beyond: bigint | null; backwards?: boolean; limit: number; allPatients?: boolean };

/** The record that was merged into the patient's. */
const OTHER = sql`(details ->> 'merged_patient_id')::uuid`;

/** Reads entries by their position in the log, the latest first. */
export function findEntries(
  db: Pick<Tx, '$queryRaw'>,
  { where, beyond, backwards = false, limit, allPatients = false }: Page,
): Promise<EntryRow[]> {
  const side = backwards ? sql`position > ${beyond}::bigint` : sql`position < ${beyond}::bigint`;
  const shown = allPatients ? sql`patient_ids` : sql`patient_ids[1:${PATIENTS_SHOWN}::int]`;
  return db.$queryRaw<EntryRow[]>`
    select id, position, action, outcome, object_type as "objectType", object_id as "objectId",
      coalesce(${shown}, array_remove(array[patient_id, ${OTHER}], null))::text[] as patients,
      coalesce(cardinality(patient_ids), num_nonnulls(patient_id, ${OTHER})) as "patientCount",
      actor_type as "actorType", actor_id as "actorId", on_behalf_of as "onBehalfOf", address,
      user_agent as "userAgent", request_id as "requestId", event, details, created_at as "createdAt"
    from audit_entries
    where ${where} ${beyond === null ? Prisma.empty : sql`and ${side}`}
    order by position ${backwards ? sql`asc` : sql`desc`} limit ${limit}::int`;
}
