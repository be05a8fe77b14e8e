import type pg from 'pg';
import type { Context } from '#server/core/context.ts';
import { TYPE } from '../times/connect-clinic.ts';

export const CALENDARS = Array.from({ length: 50 }, (_, n) => 100 + n);
/** The calendar whose availability is read. It has the same appointments in the mirrored days at every size. */
export const CALENDAR = CALENDARS[0]!;
/** The mirrored days, the first of which is the day after tomorrow. */
export const MIRRORED_DAYS = 28;
const FIRST_DAY = `(date_trunc('day', now(), 'UTC') + interval '2 days')`;
const BOOKED_ON_CALENDAR = 40;
const OTHERS = CALENDARS.length - 1;
const EVENTS_EACH = 5;
const ENTRIES_EACH = 2;
/** The number of entries about the patient whose timeline is read, at every size. */
const ENTRIES_OF_ONE = 60;
const YEAR_MS = 365 * 86_400_000;

/** The number of events for this number of patients. */
export const eventsOf = (patients: number): number => patients * EVENTS_EACH;

/**
 * Functions of the owner's session. `ms` spreads rows over the last year; ids are UUIDv7 of that moment, as the service
 * makes them, but their last bits are the row's number, so that other rows can refer to them.
 */
const functions = (sinceMs: number, size: number) => `
  create function pg_temp.ms(n bigint, total bigint) returns bigint language sql immutable as $$
    select ${sinceMs} + ${YEAR_MS} * n / total $$;
  create function pg_temp.at(ms bigint) returns timestamptz language sql immutable as $$
    select timestamptz '1970-01-01 00:00Z' + interval '1 millisecond' * ms $$;
  create function pg_temp.id(ms bigint, n bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex(ms), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid $$;
  create function pg_temp.patient_id(n bigint) returns uuid language sql immutable as $$
    select pg_temp.id(pg_temp.ms(n, ${size}), n) $$;`;

/** One in twenty has each of the first names, one in ten is archived. */
const patients = (tenantId: string, size: number) => `
  insert into patients (id, tenant_id, email, phone_number, first_name, last_name, birth_date, external_id, status,
    archived_at, search_text, created_at, updated_at)
  select pg_temp.patient_id(n), '${tenantId}', email, phone, first, last, date '1950-01-01' + (n % 20000)::int, external,
    case when n % 10 = 0 then 'archived' else 'active' end, case when n % 10 = 0 then at end,
    lower(concat_ws(' ', first, last, email, external, substr(phone, 2))), at, at
  from generate_series(1, ${size}) n, lateral (select pg_temp.at(pg_temp.ms(n, ${size})) as at,
    'Patient ' || lpad(n::text, 7, '0') as last, 'patient' || n || '@example.com' as email,
    '+1555' || lpad(n::text, 7, '0') as phone, 'E-' || n as external,
    (array['Alder', 'Ash', 'Aspen', 'Beech', 'Birch', 'Cedar', 'Cherry', 'Elm', 'Fir', 'Hazel', 'Holly', 'Juniper', 'Larch',
      'Linden', 'Maple', 'Oak', 'Olive', 'Pine', 'Rowan', 'Willow'])[n % 20 + 1] as first) as made`;

const phones = (tenantId: string, size: number) => `
  insert into patient_phones (id, tenant_id, patient_id, number, "primary", created_at)
  select pg_temp.patient_id(n), '${tenantId}', pg_temp.patient_id(n), '+1555' || lpad(n::text, 7, '0'), true, now()
  from generate_series(1, ${size}) n`;

const addresses = (tenantId: string, size: number) => `
  insert into patient_addresses (id, tenant_id, patient_id, line1, city, state, zip, country, "primary", created_at)
  select pg_temp.patient_id(n), '${tenantId}', pg_temp.patient_id(n), n || ' Example Street', 'Springfield', 'NY', '00000',
    'US', true, now()
  from generate_series(1, ${size}) n`;

/**
 * One for each patient. One in ten is upcoming, of which one in ten is canceled, without gaps on the other calendars; the
 * rest are over: one in twenty canceled, one in twenty a no-show.
 */
const appointments = (tenantId: string, size: number) => `
  insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
    start_at, end_at, time_zone, video_token, status, provider_appointment_id, created_at, updated_at)
  select pg_temp.patient_id(n), '${tenantId}', pg_temp.patient_id(n), ${TYPE}, 'Follow-up visit', calendar,
    'Calendar ' || calendar, start, start + interval '30 minutes', 'America/New_York', 'token-' || n,
    case when n % 20 = 1 or n % 100 = 0 then 'canceled' when n % 20 = 2 then 'no_show' else 'scheduled' end, n, made, made
  from generate_series(1, ${size}) n, lateral (select
    case when n % 10 = 0 and n / 10 <= ${BOOKED_ON_CALENDAR} then ${CALENDAR} else ${CALENDAR} + 1 + n / 10 % ${OTHERS} end as calendar,
    case
      when n % 10 <> 0 then pg_temp.at(pg_temp.ms(n, ${size})) - interval '1 day'
      when n / 10 <= ${BOOKED_ON_CALENDAR} then ${FIRST_DAY} + interval '1 day' * ((n / 10 - 1) / 2) + interval '15 hours'
        + interval '1 hour' * (n / 10 % 2)
      else ${FIRST_DAY} + interval '30 minutes' * (n / 10 / ${OTHERS}) end as start,
    pg_temp.at(pg_temp.ms(n, ${size})) as made) as given`;

const claims = (tenantId: string) => `
  insert into slot_claims (id, tenant_id, appointment_id, patient_id, calendar_id, start_at, end_at)
  select id, '${tenantId}', id, patient_id, calendar_id, start_at, end_at
  from appointments where start_at > now() and status = 'scheduled'`;

const mirror = (tenantId: string) => `
  insert into availability_days (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at, asked_at)
  select '${tenantId}', ${TYPE}, calendar, to_char(${FIRST_DAY} + interval '1 day' * n, 'YYYY-MM-DD'),
    array(select extract(epoch from ${FIRST_DAY} + interval '1 day' * n + interval '14 hours')::bigint / 60 + 30 * slot
      from generate_series(0, 9) slot),
    now(), to_timestamp(0), now()
  from unnest(array[${CALENDARS.join(', ')}]) calendar, generate_series(0, ${MIRRORED_DAYS - 1}) n`;

/** The partitions of the last year, which the service makes as time passes. */
const partitions = (sinceMs: number) => `
  select carelane_make_month(log, month::date) from unnest(array['events', 'audit_entries']) log,
    generate_series(date_trunc('month', pg_temp.at(${sinceMs})), now(), interval '1 month') month`;

/** `offset 0` keeps PostgreSQL from evaluating a patient's id once for each use. */
const event = (size: number) => `(
  select n, pg_temp.ms(n, ${eventsOf(size)}) as ms, pg_temp.patient_id(n % ${size} + 1) as patient,
    case when n % 100 = 0 then 'archived' else 'updated' end as topic
  from generate_series(1, ${eventsOf(size)}) n offset 0) as made`;

const events = (tenantId: string, size: number) => `
  insert into events (id, tenant_id, event_type, event_topic, object_id, patient_id, author_type, author_id, payload,
    created_at)
  select pg_temp.id(ms, n), '${tenantId}', 'patient', topic, patient::text, patient, 'System', 'bench',
    jsonb_build_object('id', patient, 'previous_attributes', jsonb_build_object('language', 'en')), pg_temp.at(ms)
  from ${event(size)}`;

/** What the trigger on events and the numbering leave. */
const numbers = (tenantId: string, size: number) => `
  insert into event_numbers (tenant_id, sequence, event_id, event_created_at, event_type, event_topic, object_id, patient_id)
  select '${tenantId}', n, pg_temp.id(ms, n), pg_temp.at(ms), 'patient', topic, patient::text, patient from ${event(size)}`;

/** Half are changes; one in twenty is of a list with twenty patients. Seals are left out: no measured read uses them. */
const entries = (tenantId: string, size: number) => {
  const total = size * ENTRIES_EACH;
  const each = Math.floor(total / ENTRIES_OF_ONE);
  return `
  insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, patient_ids, actor_type, actor_id,
    request_id, address, user_agent, event, details, created_at)
  select pg_temp.id(ms, n), '${tenantId}',
    case when is_list then 'patients.list' when is_change then 'patients.update' else 'patients.get' end, 'Patient',
    case when is_list then '' else patient::text end, case when not is_list then patient end,
    case when is_list then array(select pg_temp.patient_id((n + other) % ${size} + 1) from generate_series(1, 20) other) end,
    'Admin', md5((n % 50)::text)::uuid::text, 'request-' || n, '192.0.2.1', 'Firefox',
    case when is_change then 'patient.updated' end,
    case when is_change then '{"fields": ["language"]}'::jsonb else '{}' end, pg_temp.at(ms)
  from (
    select n, pg_temp.ms(n, ${total}) as ms, n % 20 = 7 and n % ${each} > 0 as is_list,
      case when n % ${each} = 0 then n / ${each} % 3 > 0 else n % 2 = 0 end as is_change,
      pg_temp.patient_id(case when n % ${each} = 0 then ${size / 2} else n % ${size} + 1 end) as patient
    from generate_series(1, ${total}) n offset 0) as made`;
};

/** Ids of the rows that the measured reads name. */
export type Named = { cursor: string; patientId: string };

/**
 * Fills a new database with one tenant's rows of the last year. Without triggers, whose rows are inserted here, and
 * without foreign keys, which hold by construction.
 * @param pageSize rows of a page of patients; `cursor` is the last row before page `page`, or before the last page
 */
export async function fillTenant(
  owner: pg.Client,
  { tenantId }: Context,
  { size, page, pageSize }: { size: number; page: number; pageSize: number },
): Promise<Named> {
  const sinceMs = Date.now() - YEAR_MS;
  await owner.query("set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'");
  await owner.query(functions(sinceMs, size));
  await owner.query(partitions(sinceMs));
  // Blocks that autovacuum reads are counted like those of any other process.
  await owner.query(`do $$ declare one regclass; begin
    for one in select relid from pg_statio_user_tables loop
      execute format('alter table %s set (autovacuum_enabled = false)', one);
    end loop; end $$`);
  // The event of the connected calendar, numbered or not yet.
  await owner.query('truncate events, unnumbered_events, event_numbers, event_feeds');
  const indexes = await dropIndexes(owner);
  const statements = [patients, phones, addresses, appointments, claims, mirror, events, numbers, entries];
  for (const statement of statements) await owner.query(statement(tenantId, size));
  await owner.query('insert into event_feeds (tenant_id, last_sequence) values ($1, $2)', [tenantId, eventsOf(size)]);
  for (const index of indexes) await owner.query(index);
  await owner.query('vacuum (analyze)');
  const { rows } = await owner.query<Named>(
    `with listed as (select id from patients where status <> 'archived' order by created_at desc, id desc)
     select (select pg_temp.patient_id($1)) as "patientId", id as cursor from listed
     offset least($2::int, (select count(*)::int - 1 from listed) / $3::int) * $3::int - 1 limit 1`,
    [size / 2, page - 1, pageSize],
  );
  return rows[0]!;
}

/**
 * Drops the large tables' indexes that no constraint needs, because building them after the rows is faster.
 * @returns the statements that create them
 */
async function dropIndexes(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = any(array['patients', 'patient_phones', 'appointments', 'events', 'event_numbers', 'audit_entries']::regclass[])
       and not relispartition and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  await owner.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  await owner.query("set maintenance_work_mem = '256MB'");
  return rows.map(({ definition }) => definition);
}
