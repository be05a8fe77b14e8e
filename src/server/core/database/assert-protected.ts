import pg from 'pg';
import { ConfigError } from '../config.ts';

/** Triggers that protect the audit log and that queue events and prices; defined in `prisma/sql`. */
export const REQUIRED_TRIGGERS = [
  'audit_entries.audit_entries_append_only',
  'audit_entries.audit_entries_time',
  'audit_entries.audit_entries_unsealed',
  'audit_chains.audit_chains_sealed',
  'events.events_queue',
  'subscriptions.subscriptions_made',
  'subscriptions.subscriptions_changed',
];

/** Policies of the tables that have several. A table with one policy is checked without its name. */
const REQUIRED_POLICIES = [
  ...['read_by_key', 'insert_own', 'update_own', 'delete_own'].map((name) => `tenant_routes.${name}`),
  ...['read_own_or_all', 'insert_own', 'update_own', 'delete_own'].map((name) => `unnumbered_events.${name}`),
];

type Query = (text: string, values: unknown[]) => Promise<{ rows: { missing: string }[] }>;

/**
 * Checks that every tenant table has row-level security that also binds its owner, that the policies for the service's
 * role compare with the connection's tenant or key, and that the triggers exist. PostgreSQL combines permissive
 * policies with OR, so every one of them is checked.
 * @throws {ConfigError} with the missing items
 */
export async function assertProtected(query: Query): Promise<void> {
  const { rows } = await query(UNPROTECTED, [REQUIRED_TRIGGERS, REQUIRED_POLICIES]);
  if (rows.length === 0) return;
  const missing = rows.map((row) => row.missing).join(', ');
  throw new ConfigError(
    `The database lacks ${missing}. Repair it by npm run migrate -- --again, which needs its owner.`,
  );
}

const UNPROTECTED = `
  with policies as (
    select polrelid, polname, polpermissive,
      coalesce(pg_get_expr(polqual, polrelid) ~ 'app[.]|carelane_', true)
        and coalesce(pg_get_expr(polwithcheck, polrelid) ~ 'app[.]|carelane_', true) as compares
    from pg_policy
    where 0 = any (polroles) or exists (select from unnest(polroles) as r where r <> 0 and pg_has_role(r, 'usage'))
  )
  select 'row-level security on ' || relname as missing from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and (relname = 'tenants' or exists (
      select from pg_attribute where attrelid = c.oid and attname = 'tenant_id' and not attisdropped))
    and not (relrowsecurity and relforcerowsecurity
      -- The service has no access to a partition itself, only through the partitioned table.
      and (relispartition or exists (select from policies where polrelid = c.oid and polpermissive))
      and not exists (select from policies where polrelid = c.oid and polpermissive and not compares))
  union all
  select 'the trigger ' || required from unnest($1::text[]) as required
  where not exists (
    select from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and c.relname || '.' || tgname = required and tgenabled in ('O', 'A'))
  union all
  select 'the policy ' || required from unnest($2::text[]) as required
  where not exists (
    select from policies p join pg_class c on c.oid = p.polrelid
    where c.relnamespace = 'public'::regnamespace and c.relname || '.' || polname = required)
  order by 1`;

const ROUNDS = 3;

/**
 * Rejects a pooler in transaction mode, where one client's session setting appears on another client's connection and
 * tenants would be mixed. Two connections set different values in turn; each must read back its own.
 * @throws {ConfigError}
 */
export async function assertSessionSettings(connectionString: string): Promise<void> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString, application_name: 'carelane' }));
  try {
    for (const client of clients) await client.connect();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, client] of clients.entries())
        await client.query("select set_config('app.probe', $1, false)", [`${round}/${index}`]);
      for (const [index, client] of clients.entries()) {
        const { rows } = await client.query<{ value: string }>("select current_setting('app.probe', true) as value");
        if (rows[0]?.value !== `${round}/${index}`)
          throw new ConfigError(
            'DATABASE_URL leads to a pooler that shares connections between transactions: set DATABASE_POOLER=transaction, or connect directly.',
          );
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
