-- Events get their numbers after they are committed: by then it is known what there is, so that none is left out and none
-- is given twice. The column events.sequence is used no more.

-- How far the feed of a tenant has come, and from where it is still held.
CREATE TABLE "event_feeds" (
    "tenant_id" UUID NOT NULL,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,
    "oldest_sequence" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "event_feeds_pkey" PRIMARY KEY ("tenant_id")
);

-- The feed: which event has which number, and what it is filtered by, so that a filter reads only what it gives out.
CREATE TABLE "event_numbers" (
    "tenant_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,

    CONSTRAINT "event_numbers_pkey" PRIMARY KEY ("tenant_id","sequence")
);
CREATE UNIQUE INDEX "event_numbers_tenant_id_event_id_key" ON "event_numbers"("tenant_id", "event_id");
CREATE INDEX "event_numbers_tenant_id_event_type_event_topic_sequence_idx"
  ON "event_numbers"("tenant_id", "event_type", "event_topic", "sequence");
CREATE INDEX "event_numbers_tenant_id_object_id_sequence_idx" ON "event_numbers"("tenant_id", "object_id", "sequence");
CREATE INDEX "event_numbers_tenant_id_patient_id_sequence_idx" ON "event_numbers"("tenant_id", "patient_id", "sequence");

-- Events without a number: written by the transaction that writes the event, emptied by numbering. It is nearly empty
-- however many events there are, and is swept often, so that what is left of old rows stands in nobody's way.
CREATE TABLE "unnumbered_events" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,

    CONSTRAINT "unnumbered_events_pkey" PRIMARY KEY ("tenant_id","position")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- In the event's own transaction, whoever inserts it: also a process of an earlier version.
CREATE FUNCTION carelane_queue_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unnumbered_events (tenant_id, position, event_id, event_created_at, event_type, event_topic, object_id, patient_id)
  VALUES (NEW.tenant_id, NEW.position, NEW.id, NEW.created_at, NEW.event_type, NEW.event_topic, NEW.object_id, NEW.patient_id);
  RETURN NULL;
END $$;
-- From here to the end of this migration nobody inserts an event, so none is missed between the two.
CREATE TRIGGER events_queue AFTER INSERT ON "events" FOR EACH ROW EXECUTE FUNCTION carelane_queue_event();

ALTER TABLE "events" NO FORCE ROW LEVEL SECURITY;
INSERT INTO "event_numbers"
  SELECT tenant_id, row_number() OVER (PARTITION BY tenant_id ORDER BY position), id, created_at, event_type, event_topic,
    object_id, patient_id
  FROM "events";
ALTER TABLE "events" FORCE ROW LEVEL SECURITY;
INSERT INTO "event_feeds" (tenant_id, last_sequence)
  SELECT tenant_id, max(sequence) FROM "event_numbers" GROUP BY tenant_id;

SELECT carelane_protect('event_feeds'::regclass);
SELECT carelane_protect('event_numbers'::regclass);

-- Whose events wait, of any tenant, is asked under one key of no tenant: null then. Without tenant and key it fails.
CREATE FUNCTION carelane_numbering_scope() RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF current_setting('app.route_key', true) = 'unnumbered' THEN
    RETURN NULL;
  END IF;
  RETURN current_setting('app.tenant_id')::uuid;
END $$;
ALTER TABLE "unnumbered_events" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "unnumbered_events" FORCE ROW LEVEL SECURITY;
CREATE POLICY read_own_or_all ON "unnumbered_events" FOR SELECT
  USING ((SELECT carelane_numbering_scope()) IS NULL OR tenant_id = (SELECT carelane_numbering_scope()));
CREATE POLICY insert_own ON "unnumbered_events" FOR INSERT
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
CREATE POLICY update_own ON "unnumbered_events" FOR UPDATE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid))
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
CREATE POLICY delete_own ON "unnumbered_events" FOR DELETE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));

-- Gives numbers to at most so many events of the connection's tenant, in the order of their positions. Returns how many,
-- or -1 while another does the same: nobody waits. Each statement here sees what was committed when it began (READ
-- COMMITTED), so what the one before has numbered is seen once its lock is free. Numbers, feed and queue change together
-- or not at all, so no number is left out wherever the process dies. Without statistics only the order of the indexes is
-- sure to stay quick, however many wait. The readers are told by this transaction alone: NOTIFY makes those that send it
-- commit one after another, which nobody who writes an event should wait for.
CREATE FUNCTION carelane_number_events(most integer) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  last bigint;
  handled integer;
  given bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('carelane numbering ' || tenant, 0)) THEN
    RETURN -1;
  END IF;
  PERFORM FROM unnumbered_events WHERE tenant_id = tenant LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  INSERT INTO event_feeds (tenant_id) VALUES (tenant) ON CONFLICT DO NOTHING;
  SELECT last_sequence INTO last FROM event_feeds WHERE tenant_id = tenant;
  WITH waiting AS MATERIALIZED (
    SELECT * FROM unnumbered_events WHERE tenant_id = tenant ORDER BY position LIMIT most
  ), taken AS (
    DELETE FROM unnumbered_events u USING waiting w WHERE u.tenant_id = tenant AND u.position = w.position
  ), numbers AS (
    -- One that stands in the queue again, after its table was copied say, has its number.
    INSERT INTO event_numbers
      SELECT tenant, last + row_number() OVER (ORDER BY w.position), w.event_id, w.event_created_at, w.event_type,
        w.event_topic, w.object_id, w.patient_id
      FROM waiting w
      WHERE NOT EXISTS (SELECT FROM event_numbers n WHERE n.tenant_id = tenant AND n.event_id = w.event_id)
    RETURNING sequence
  )
  SELECT (SELECT count(*) FROM waiting), (SELECT count(*) FROM numbers) INTO handled, given;
  UPDATE event_feeds SET last_sequence = last + given WHERE tenant_id = tenant;
  PERFORM pg_notify('carelane_events', tenant || ' ' || (last + given));
  RETURN handled;
END $$;

-- For whoever drops old events: forgets their numbers, and those before them, of the connection's tenant. What is left
-- has no gap, and the feed says from where it is held. Returns how many were forgotten.
CREATE FUNCTION carelane_forget_numbers(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  through bigint;
  forgotten bigint;
BEGIN
  SELECT max(sequence) INTO through FROM event_numbers WHERE tenant_id = tenant AND event_created_at < before;
  IF through IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM event_numbers WHERE tenant_id = tenant AND sequence <= through;
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  UPDATE event_feeds SET oldest_sequence = through + 1 WHERE tenant_id = tenant AND oldest_sequence <= through;
  RETURN forgotten;
END $$;

-- Called before partitions of events are dropped, by the owner, who sees the tenants of all of them.
CREATE OR REPLACE FUNCTION before_events_drop(before timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  own CONSTANT text := current_setting('app.tenant_id', true);
  tenant uuid;
BEGIN
  FOR tenant IN SELECT DISTINCT e.tenant_id FROM events e WHERE e.created_at < before LOOP
    PERFORM set_config('app.tenant_id', tenant::text, true);
    PERFORM carelane_forget_numbers(before);
  END LOOP;
  PERFORM set_config('app.tenant_id', coalesce(own, ''), true);
END $$;
