import { ConfigError } from '../config.ts';

/** Triggers without which the log could be changed, or events and prices be missed; they stand in `prisma/sql`. */
export const REQUIRED_TRIGGERS = [
  'audit_entries.audit_entries_append_only',
  'audit_entries.audit_entries_time',
  'audit_entries.audit_entries_unsealed',
  'audit_chains.audit_chains_sealed',
  'events.events_queue',
  'subscriptions.subscriptions_made',
  'subscriptions.subscriptions_changed',
];

type Query = (text: string, values: unknown[]) => Promise<{ rows: { missing: string }[] }>;

/**
 * Checks that every table with a tenant has row-level security, which binds its owner too, and that the triggers are there.
 * @throws {ConfigError} with what is missing
 */
export async function assertProtected(query: Query): Promise<void> {
  const { rows } = await query(UNPROTECTED, [REQUIRED_TRIGGERS]);
  if (rows.length === 0) return;
  const missing = rows.map((row) => row.missing).join(', ');
  throw new ConfigError(`The database lacks ${missing}. Apply the files of prisma/sql again, as its owner.`);
}

const UNPROTECTED = `
  select 'row-level security on ' || relname as missing from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and (relname = 'tenants' or exists (
      select from pg_attribute where attrelid = c.oid and attname = 'tenant_id' and not attisdropped))
    and not (relrowsecurity and relforcerowsecurity and exists (select from pg_policy where polrelid = c.oid))
  union all
  select 'the trigger ' || required from unnest($1::text[]) as required
  where not exists (
    select from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and c.relname || '.' || tgname = required and tgenabled in ('O', 'A'))
  order by 1`;
