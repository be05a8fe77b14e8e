-- Events and audit entries by month, so that what is old goes by dropping a table, and what is new stays small. A chain
-- of hashes over each tenant's audit entries, which only the functions below can lengthen.

-- 1. Who may do what. The service's role is known by the rights that tables get by default; its name is a setting.
CREATE FUNCTION carelane_rights(target regclass, rights text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE role text;
BEGIN
  FOR role IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = target AND a.grantee <> c.relowner LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %s', target, role);
    IF rights IS NOT NULL THEN EXECUTE format('GRANT %s ON %s TO %s', rights, target, role); END IF;
  END LOOP;
END $$;

-- A function of the owner's, for the service alone.
CREATE FUNCTION carelane_for_service(target regprocedure) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE role text;
BEGIN
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', target);
  FOR role IN SELECT DISTINCT a.grantee::regrole::text
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'patients'::regclass AND a.grantee NOT IN (0, c.relowner) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', target, role);
  END LOOP;
END $$;

-- Row-level security binds the owner too, whose functions serve every tenant.
CREATE FUNCTION carelane_protect_log(target regclass) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM carelane_protect(target);
  EXECUTE format('CREATE POLICY owner ON %s TO CURRENT_USER USING (true)', target);
END $$;

-- 2. The tables. Their old ones are locked, copied and dropped in this one transaction.
LOCK TABLE events, audit_entries IN ACCESS EXCLUSIVE MODE;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_entries NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events RENAME TO events_in_one;
ALTER TABLE audit_entries RENAME TO audit_entries_in_one;
ALTER TABLE events_in_one RENAME CONSTRAINT events_pkey TO events_in_one_pkey;
ALTER TABLE audit_entries_in_one RENAME CONSTRAINT audit_entries_pkey TO audit_entries_in_one_pkey;
DROP INDEX events_tenant_id_position_idx, events_tenant_id_sequence_key;
DROP INDEX audit_entries_tenant_id_position_idx, audit_entries_tenant_id_object_type_object_id_idx;

CREATE TABLE events (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT nextval('events_position_seq'),
    -- Numbers stand in a table of their own; the version before names this column.
    "sequence" BIGINT,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    "author_type" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE INDEX "events_tenant_id_position_idx" ON "events"("tenant_id", "position");

-- New columns stay empty where they have nothing to say: a hash leaves out what is empty, so that those of old rows hold.
CREATE TABLE audit_entries (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT nextval('audit_entries_position_seq'),
    "action" TEXT NOT NULL,
    "object_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    -- Whose data a list showed.
    "patient_ids" UUID[],
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "on_behalf_of" TEXT,
    "application_id" TEXT,
    "request_id" TEXT NOT NULL,
    "address" TEXT,
    "user_agent" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE INDEX "audit_entries_tenant_id_position_idx" ON "audit_entries"("tenant_id", "position");
CREATE INDEX "audit_entries_tenant_id_object_type_object_id_idx" ON "audit_entries"("tenant_id", "object_type", "object_id");
CREATE INDEX "audit_entries_tenant_id_patient_id_created_at_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at");
CREATE INDEX "audit_entries_tenant_id_actor_id_created_at_idx" ON "audit_entries"("tenant_id", "actor_id", "created_at");
CREATE INDEX "audit_entries_tenant_id_action_created_at_idx" ON "audit_entries"("tenant_id", "action", "created_at");

ALTER SEQUENCE events_position_seq OWNED BY events.position;
ALTER SEQUENCE audit_entries_position_seq OWNED BY audit_entries.position;
SELECT carelane_protect_log('events'::regclass);
SELECT carelane_protect_log('audit_entries'::regclass);

-- 3. Partitions. Nobody reads or writes one but through its log: no rights, and a policy for the owner alone.
CREATE FUNCTION carelane_shut(target regclass) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM carelane_rights(target);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY owner ON %s TO CURRENT_USER USING (true)', target);
END $$;

-- A row of a month that nobody has made a partition for must not fail the change that it belongs to.
CREATE TABLE events_default PARTITION OF events DEFAULT;
CREATE TABLE audit_entries_default PARTITION OF audit_entries DEFAULT;
SELECT carelane_shut('events_default'::regclass);
SELECT carelane_shut('audit_entries_default'::regclass);

-- A table that is attached takes the log no lock that stops writers; only the default partition is locked, to look (and
-- here, to take out) what it holds of the month. `strayed`: how many rows that were.
CREATE FUNCTION carelane_make_month(log text, month date, OUT made int, OUT strayed int)
LANGUAGE plpgsql SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  name text := log || to_char(month, '_YYYY_MM');
  since timestamptz := month;
  until timestamptz := month + interval '1 month';
BEGIN
  made := 0; strayed := 0;
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', name, log);
  PERFORM carelane_shut(name::regclass);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', log || '_default');
  EXECUTE format('WITH strays AS (DELETE FROM %I WHERE created_at >= %L AND created_at < %L RETURNING *)
    INSERT INTO %I SELECT * FROM strays', log || '_default', since, until, name);
  GET DIAGNOSTICS strayed = ROW_COUNT;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', log, name, since, until);
  made := 1;
END $$;

-- Makes the partitions of this month and so many after it, and those of what stands in the default partitions. May be
-- called at any time, by several at once. `strayed` rows came before their partition: somebody has not called this for long.
CREATE FUNCTION make_log_partitions(ahead int DEFAULT 3, OUT made int, OUT strayed int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = 0 AS $$
DECLARE log text; month date; one record;
BEGIN
  made := 0; strayed := 0;
  PERFORM pg_advisory_xact_lock(hashtextextended('carelane: log partitions', 0));
  -- Whoever wants to read the default partition waits for at most so long.
  PERFORM set_config('lock_timeout', '2s', true);
  FOREACH log IN ARRAY ARRAY['events', 'audit_entries'] LOOP
    FOR month IN EXECUTE format(
      'SELECT date_trunc(''month'', now())::date + n * interval ''1 month'' FROM generate_series(0, %s) n
       UNION (SELECT DISTINCT date_trunc(''month'', created_at)::date FROM %I
         WHERE created_at BETWEEN ''1970-01-01'' AND ''2199-12-31'' ORDER BY 1 LIMIT 24) ORDER BY 1',
      least(greatest(ahead, 0), 24), log || '_default') LOOP
      one := carelane_make_month(log, month);
      made := made + one.made; strayed := strayed + one.strayed;
    END LOOP;
  END LOOP;
END $$;
SELECT carelane_for_service('make_log_partitions(int)'::regprocedure);

SELECT carelane_make_month('events', month::date) FROM (
  SELECT DISTINCT date_trunc('month', created_at, 'UTC') AT TIME ZONE 'UTC' FROM events_in_one) old (month);
SELECT carelane_make_month('audit_entries', month::date) FROM (
  SELECT DISTINCT date_trunc('month', created_at, 'UTC') AT TIME ZONE 'UTC' FROM audit_entries_in_one) old (month);
SELECT make_log_partitions();
INSERT INTO events (id, tenant_id, position, sequence, event_type, event_topic, object_id, patient_id, author_type, author_id, payload, created_at)
  SELECT id, tenant_id, position, sequence, event_type, event_topic, object_id, patient_id, author_type, author_id, payload, created_at
  FROM events_in_one;
INSERT INTO audit_entries (id, tenant_id, position, action, object_type, object_id, patient_id, actor_type, actor_id, on_behalf_of, request_id, details, created_at)
  SELECT id, tenant_id, position, action, object_type, object_id, patient_id, actor_type, actor_id, on_behalf_of, request_id, details, created_at
  FROM audit_entries_in_one;
DROP TABLE events_in_one;
DROP TABLE audit_entries_in_one;

SELECT carelane_rights('events'::regclass, 'SELECT, INSERT');
-- The position is not among them.
SELECT carelane_rights('audit_entries'::regclass, 'SELECT, INSERT (id, tenant_id, action, object_type, object_id, patient_id,
  patient_ids, actor_type, actor_id, on_behalf_of, application_id, request_id, address, user_agent, details, created_at)');
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION carelane_append_only();

-- The time of an entry is the database's. The version before names one, by its own clock, and the row has found its
-- partition by it already: so at the turn of a month it gets the nearest time that lies there. Whoever names one that
-- is far off means to deceive.
CREATE FUNCTION carelane_audit_time() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  present timestamptz(3) := now();
  since timestamptz;
BEGIN
  IF new.created_at = present THEN RETURN new; END IF;
  IF new.created_at NOT BETWEEN present - interval '10 minutes' AND present + interval '10 minutes' THEN
    RAISE EXCEPTION 'the database gives audit entries their time' USING ERRCODE = 'insufficient_privilege';
  END IF;
  since := date_trunc('month', new.created_at, 'UTC');
  new.created_at := greatest(since, least(present, since + interval '1 month' - interval '1 millisecond'));
  RETURN new;
END $$;
CREATE TRIGGER audit_entries_time BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION carelane_audit_time();

-- 4. Seals.
CREATE TABLE "audit_seals" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "entry_created_at" TIMESTAMPTZ(3) NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("tenant_id","position")
);
CREATE UNIQUE INDEX "audit_seals_tenant_id_entry_id_key" ON "audit_seals"("tenant_id", "entry_id");

-- The end of each tenant's chain, and from where on it can still be checked: what was sealed up to `checkpoint_position`
-- was dropped when it was old enough. Up to `dropped_to` seals stand between those of later rows whose own row was from
-- before `dropped_before` too.
CREATE TABLE "audit_chains" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "hash" BYTEA NOT NULL DEFAULT '\x',
    "checkpoint_position" BIGINT NOT NULL DEFAULT 0,
    "checkpoint_hash" BYTEA NOT NULL DEFAULT '\x',
    "dropped_to" BIGINT NOT NULL DEFAULT 0,
    "dropped_before" TIMESTAMPTZ(3),

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("tenant_id")
);

-- What has no seal yet: nearly empty, so that finding it costs the same however long the log is.
CREATE TABLE "audit_unsealed" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "entry_created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_unsealed_pkey" PRIMARY KEY ("tenant_id","position","entry_id")
);
SELECT carelane_protect_log(t::regclass), carelane_rights(t::regclass, 'SELECT')
  FROM unnest(ARRAY['audit_seals', 'audit_chains', 'audit_unsealed']) AS t;

INSERT INTO audit_unsealed SELECT tenant_id, position, id, created_at FROM audit_entries;
CREATE FUNCTION carelane_note_unsealed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_unsealed SELECT tenant_id, position, id, created_at FROM fresh;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION carelane_note_unsealed() FROM PUBLIC;
CREATE TRIGGER audit_entries_unsealed AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION carelane_note_unsealed();

-- The whole row as text, whatever columns it has; what is empty is left out, but for what stands in the details.
CREATE FUNCTION audit_text(entry audit_entries) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
  RETURN (jsonb_strip_nulls(to_jsonb(entry) - 'details') || jsonb_build_object('details', entry.details))::text;
END $$;
-- The link of a chain: sealing and verification both call this.
CREATE FUNCTION audit_hash(previous bytea, entry audit_entries) RETURNS bytea
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN sha256(previous || convert_to(public.audit_text(entry), 'UTF8'));
END $$;

-- Whose entries wait for their seals: one step for each tenant, however many wait.
CREATE FUNCTION audit_tenants_to_seal() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id FROM audit_unsealed ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT u.tenant_id FROM audit_unsealed u WHERE u.tenant_id > w.tenant_id ORDER BY u.tenant_id LIMIT 1)
    FROM waiting w WHERE w.tenant_id IS NOT NULL)
  SELECT tenant_id FROM waiting WHERE tenant_id IS NOT NULL
$$;

-- Seals at most so many of what others can see already, and tells how many it sealed. The chain's own row is the lock,
-- which no writer of entries takes. What statistics say of a table that is filled and emptied all the time is never true,
-- so a plan is not left to them: the first so many by the index. It is made once, for making it looks at every month.
CREATE FUNCTION seal_audit(whose uuid, most int DEFAULT 500) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  chain audit_chains;
  next record;
  sealed int := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM audit_unsealed WHERE tenant_id = whose) THEN RETURN 0; END IF;
  INSERT INTO audit_chains (tenant_id) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT chain FROM audit_chains WHERE tenant_id = whose FOR UPDATE;
  FOR next IN
    -- Each by its key, and by nothing else that an index might be found for: a plan that reads a month for each, or all
    -- months, costs more with every entry.
    SELECT u.position, u.entry_id, e.created_at, e.hashed
    FROM audit_unsealed u CROSS JOIN LATERAL (
      SELECT a.tenant_id, a.created_at, a AS hashed FROM audit_entries a
      WHERE a.id = u.entry_id AND a.created_at = u.entry_created_at OFFSET 0) e
    WHERE u.tenant_id = whose AND e.tenant_id = whose ORDER BY u.position LIMIT least(most, 10000)
  LOOP
    chain.position := chain.position + 1;
    chain.hash := audit_hash(chain.hash, next.hashed);
    INSERT INTO audit_seals (tenant_id, position, entry_id, entry_created_at, hash)
      VALUES (whose, chain.position, next.entry_id, next.created_at, chain.hash);
    DELETE FROM audit_unsealed u
      WHERE u.tenant_id = whose AND u.position = next.position AND u.entry_id = next.entry_id;
    sealed := sealed + 1;
  END LOOP;
  UPDATE audit_chains c SET position = chain.position, hash = chain.hash WHERE c.tenant_id = whose;
  RETURN sealed;
END $$;

-- The next so many seals of the connection's own tenant, each checked against its row: how many there were, the last of
-- them, and the first two that do not fit. Of the owner's, for the same reason that its rows are found by their keys.
CREATE FUNCTION check_audit_seals(after_position bigint, after_hash bytea, most int,
  OUT seals int, OUT "position" bigint, OUT hash bytea, OUT broken jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid := current_setting('app.tenant_id')::uuid;
BEGIN
  WITH page AS MATERIALIZED (
    SELECT s.*, lag(s.position, 1, after_position) OVER (ORDER BY s.position) AS before,
      lag(s.hash, 1, after_hash) OVER (ORDER BY s.position) AS previous
    FROM (SELECT * FROM audit_seals n WHERE n.tenant_id = whose AND n.position > after_position
      ORDER BY n.position LIMIT least(most, 10000)) s),
  checked AS (
    SELECT p.*, CASE
      WHEN p.position <> p.before + 1 THEN 'gap'
      WHEN e.tenant_id = whose AND e.hashed = p.hash THEN NULL
      WHEN e.tenant_id = whose THEN 'changed'
      -- Dropped when it was old enough.
      WHEN e.tenant_id IS NULL AND p.position <= c.dropped_to AND p.entry_created_at < c.dropped_before THEN NULL
      ELSE 'removed' END AS problem
    FROM page p LEFT JOIN audit_chains c ON c.tenant_id = whose LEFT JOIN LATERAL (
      SELECT a.tenant_id, audit_hash(p.previous, a) AS hashed FROM audit_entries a
      WHERE a.id = p.entry_id AND a.created_at = p.entry_created_at OFFSET 0) e ON true)
  SELECT count(*), max(p.position), (array_agg(p.hash ORDER BY p.position DESC))[1], coalesce((
      SELECT jsonb_agg(jsonb_build_object('problem', w.problem, 'position', w.position::text, 'before', w.before::text,
        'entryId', w.entry_id, 'hash', encode(w.hash, 'hex'), 'previous', encode(w.previous, 'hex')) ORDER BY w.position)
      FROM (SELECT * FROM checked k WHERE k.problem IS NOT NULL ORDER BY k.position LIMIT 2) w), '[]')
    INTO seals, position, hash, broken FROM page p;
END $$;
SELECT carelane_for_service('check_audit_seals(bigint, bytea, int)'::regprocedure);
SELECT carelane_for_service('audit_tenants_to_seal()'::regprocedure);
SELECT carelane_for_service('seal_audit(uuid, int)'::regprocedure);

-- 5. Dropping. What of the events somebody still waits for, and what is to be kept of their numbers, is said by these two.
CREATE FUNCTION events_kept_from(asked timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$ SELECT asked $$;
CREATE FUNCTION before_events_drop(before timestamptz) RETURNS void
LANGUAGE sql SET search_path = public, pg_temp AS $$ $$;

-- Where each chain can be checked from once the entries before that time are gone. The chain itself says so in a new
-- entry, so that nobody can take a beginning away and pretend that it was old.
CREATE FUNCTION before_audit_drop(before timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  waiting uuid;
  chain audit_chains;
  span record;
BEGIN
  FOR waiting IN SELECT DISTINCT tenant_id FROM audit_unsealed WHERE entry_created_at < before LOOP
    WHILE seal_audit(waiting, 10000) > 0 LOOP END LOOP;
  END LOOP;
  FOR span IN
    SELECT s.tenant_id, max(s.position) FILTER (WHERE s.entry_created_at < before) AS last_gone,
      min(s.position) FILTER (WHERE s.entry_created_at >= before) AS first_kept
    FROM audit_seals s JOIN audit_chains c ON c.tenant_id = s.tenant_id AND s.position > c.checkpoint_position
    GROUP BY s.tenant_id HAVING max(s.position) FILTER (WHERE s.entry_created_at < before) > max(c.dropped_to)
  LOOP
    SELECT * INTO STRICT chain FROM audit_chains WHERE tenant_id = span.tenant_id FOR UPDATE;
    chain.dropped_to := span.last_gone;
    chain.dropped_before := before;
    IF coalesce(span.first_kept - 1, span.last_gone) > chain.checkpoint_position THEN
      chain.checkpoint_position := coalesce(span.first_kept - 1, span.last_gone);
      SELECT s.hash INTO STRICT chain.checkpoint_hash FROM audit_seals s
        WHERE s.tenant_id = span.tenant_id AND s.position = chain.checkpoint_position;
    END IF;
    UPDATE audit_chains c SET checkpoint_position = chain.checkpoint_position, checkpoint_hash = chain.checkpoint_hash,
      dropped_to = chain.dropped_to, dropped_before = chain.dropped_before WHERE c.tenant_id = span.tenant_id;
    INSERT INTO audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id, details)
      VALUES (gen_random_uuid(), span.tenant_id, 'audit.drop', 'AuditLog', to_char(before, 'YYYY-MM'), 'System',
        'keep_logs', 'keep_logs', audit_checkpoint(chain));
  END LOOP;
END $$;
CREATE FUNCTION audit_checkpoint(chain audit_chains) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
  SELECT jsonb_build_object('position', chain.checkpoint_position, 'hash', encode(chain.checkpoint_hash, 'hex'),
    'before', chain.dropped_before, 'to', chain.dropped_to)
$$;

-- Drops the months that were over by then, and tells how many. What is younger than the floor stays whoever asks, so that
-- nobody who has taken over the service can wipe what they did.
CREATE FUNCTION drop_log_partitions(log text, before timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = 0 AS $$
DECLARE
  youngest timestamptz := now() - CASE log WHEN 'events' THEN interval '30 days' WHEN 'audit_entries' THEN interval '1 year' END;
  old regclass[];
  until timestamptz;
BEGIN
  IF youngest IS NULL THEN RAISE EXCEPTION 'there is no such log' USING ERRCODE = 'invalid_parameter_value'; END IF;
  IF before IS NULL OR before > youngest THEN
    RAISE EXCEPTION 'the log must be kept for longer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('carelane: log partitions', 0));
  IF log = 'events' THEN before := least(before, events_kept_from(before)); END IF;
  SELECT array_agg(part ORDER BY month), max(month) + interval '1 month' INTO old, until
  FROM (SELECT i.inhrelid::regclass AS part, to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz AS month
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = log::regclass AND c.relname ~ '_\d{4}_\d{2}$') made
  WHERE month + interval '1 month' <= before;
  IF old IS NULL THEN RETURN 0; END IF;
  IF log = 'events' THEN PERFORM before_events_drop(until); ELSE PERFORM before_audit_drop(until); END IF;
  -- From here on writers wait; what takes time is done, and the files go after the locks.
  PERFORM set_config('lock_timeout', '2s', true);
  FOR n IN 1 .. array_length(old, 1) LOOP EXECUTE format('DROP TABLE %s', old[n]); END LOOP;
  RETURN array_length(old, 1);
END $$;
SELECT carelane_for_service('drop_log_partitions(text, timestamptz)'::regprocedure);

-- Deletes at most so many seals of entries that were dropped, and tells how many.
CREATE FUNCTION trim_audit_seals(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE trimmed int;
BEGIN
  DELETE FROM audit_seals WHERE (tenant_id, position) IN (
    SELECT s.tenant_id, s.position FROM audit_chains c JOIN audit_seals s
      ON s.tenant_id = c.tenant_id AND s.position <= c.checkpoint_position LIMIT most);
  GET DIAGNOSTICS trimmed = ROW_COUNT;
  RETURN trimmed;
END $$;
SELECT carelane_for_service('trim_audit_seals(int)'::regprocedure);

-- What these functions stand on is nobody else's.
REVOKE ALL ON FUNCTION carelane_rights(regclass, text), carelane_for_service(regprocedure), carelane_protect_log(regclass),
  carelane_shut(regclass), carelane_make_month(text, date), events_kept_from(timestamptz), before_events_drop(timestamptz),
  before_audit_drop(timestamptz) FROM PUBLIC;
