-- Three statements by which deliveries are queued, claimed and concluded, many at once. They are functions for their
-- settings: without statistics only the order of the indexes is sure to stay quick.

-- The last delivery of each lane that has any on its way, locked: whoever ends it waits until what is queued behind it is
-- there. Lane by lane, in the order in which those who end several lock them: so neither waits for the other in a circle.
CREATE FUNCTION carelane_lane_ends(kind_of text, endpoints uuid[], objects text[])
RETURNS TABLE (endpoint_id uuid, object_id text) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
BEGIN
  RETURN QUERY
    SELECT lane.endpoint, lane.object
    FROM (
      SELECT * FROM unnest(endpoints, objects) AS given (endpoint, object) ORDER BY endpoint, object COLLATE "C"
    ) AS lane CROSS JOIN LATERAL (
      SELECT FROM webhook_deliveries AS d
      WHERE d.tenant_id = tenant AND d.endpoint_id = lane.endpoint AND d.kind = kind_of AND d.object_id = lane.object
        AND d.state IN ('waiting', 'sending', 'held')
      ORDER BY d.sequence DESC LIMIT 1 FOR SHARE
    ) AS last;
END $$;

-- Takes what is due at "instant", of each endpoint as much as it has room for, in all at most "room": of those first that
-- have least under way. Nobody else takes it meanwhile. The arrays tell of endpoints that differ from the others, who may
-- have "most_each" at once and have nothing under way.
--
-- "safe": the sequence before the first that has not arrived, another than the delivery's own. "missed": the last before it
-- of the same object that was given up.
CREATE FUNCTION carelane_claim_deliveries(room integer, most_each integer, endpoints uuid[], under_way integer[],
  mosts integer[], instant timestamptz, new_lease uuid, lease_seconds integer)
RETURNS TABLE (id uuid, endpoint_id uuid, sequence bigint, event_id uuid, event_type text, event_topic text,
  object_id text, patient_id uuid, kind text, attempts integer, audited boolean, created_at timestamptz, lease uuid,
  safe bigint, missed bigint) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
BEGIN
  RETURN QUERY
    WITH endpoint AS MATERIALIZED (
      SELECT e.id, e.position, coalesce(other.at_work, 0) AS at_work, coalesce(other.most, most_each) AS most
      FROM webhook_endpoints AS e
      LEFT JOIN unnest(endpoints, under_way, mosts) AS other (id, at_work, most) ON other.id = e.id
      WHERE e.tenant_id = tenant AND e.enabled
    ), due AS MATERIALIZED (
      SELECT first.id,
        endpoint.at_work + row_number() OVER (PARTITION BY endpoint.id ORDER BY first.next_try_at, first.sequence) AS turn
      FROM endpoint CROSS JOIN LATERAL (
        SELECT d.id, d.next_try_at, d.sequence FROM webhook_deliveries AS d
        WHERE d.tenant_id = tenant AND d.endpoint_id = endpoint.id AND d.state = 'waiting' AND d.next_try_at <= instant
        ORDER BY d.next_try_at, d.sequence LIMIT greatest(0, endpoint.most - endpoint.at_work) FOR UPDATE SKIP LOCKED
      ) AS first
      ORDER BY turn LIMIT room
    ), taken AS (
      UPDATE webhook_deliveries AS d
      SET state = 'sending', lease = new_lease, attempts = d.attempts + 1, last_tried_at = instant,
        leased_until = clock_timestamp() + make_interval(secs => lease_seconds)
      FROM due WHERE d.tenant_id = tenant AND d.id = due.id
      RETURNING d.*
    ), progress AS MATERIALIZED (
      SELECT endpoint.id, endpoint.position, array_agg(missing.sequence ORDER BY missing.sequence) AS missing
      FROM endpoint LEFT JOIN LATERAL (
        SELECT d.sequence FROM webhook_deliveries AS d
        WHERE d.tenant_id = tenant AND d.endpoint_id = endpoint.id AND d.kind = 'live'
          AND d.state IN ('waiting', 'sending', 'held', 'parked')
        ORDER BY d.sequence LIMIT 2
      ) AS missing ON true
      WHERE endpoint.id IN (SELECT taken.endpoint_id FROM taken)
      GROUP BY endpoint.id, endpoint.position
    )
    SELECT t.id, t.endpoint_id, t.sequence, t.event_id, t.event_type, t.event_topic, t.object_id, t.patient_id, t.kind,
      t.attempts, t.audited, t.created_at, t.lease,
      coalesce(CASE p.missing[1] WHEN t.sequence THEN p.missing[2] ELSE p.missing[1] END - 1, p.position),
      (SELECT d.sequence FROM webhook_deliveries AS d
       WHERE d.tenant_id = tenant AND d.endpoint_id = t.endpoint_id AND d.kind = 'live' AND d.state = 'parked'
         AND d.object_id = t.object_id AND d.sequence < t.sequence
       ORDER BY d.sequence DESC LIMIT 1)
    FROM taken AS t JOIN progress AS p ON p.id = t.endpoint_id;
END $$;

-- Writes down how tries went, many at once, and lets go of them: those that the process still has its lease of, whose ids
-- are returned. Each statement here sees what was committed when it began (READ COMMITTED), so that what was queued behind
-- one until the moment its row was free is found.
--
-- `outcomes` is an array of objects with the names below. "state" is what the delivery becomes: `waiting` for another try,
-- at "next_try_at"; with `delivered` and `parked` it is over, and what stands behind it in its lane is due at "release_at".
CREATE FUNCTION carelane_conclude_deliveries(outcomes jsonb) RETURNS SETOF uuid LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  ours uuid[];
BEGIN
  -- Lane by lane, in the order in which whoever queues locks their ends: so neither waits for the other in a circle.
  PERFORM FROM (
    SELECT endpoint_id, kind, object_id
    FROM jsonb_to_recordset(outcomes) AS o (endpoint_id uuid, kind text, object_id text)
    ORDER BY endpoint_id, kind, object_id COLLATE "C"
  ) AS lane CROSS JOIN LATERAL (
    SELECT FROM webhook_deliveries AS d
    WHERE d.tenant_id = tenant AND d.endpoint_id = lane.endpoint_id AND d.kind = lane.kind
      AND d.object_id = lane.object_id AND d.state IN ('waiting', 'sending', 'held')
    ORDER BY d.sequence LIMIT 2 FOR UPDATE
  ) AS first_two;

  WITH written AS (
    UPDATE webhook_deliveries AS d
    SET state = o.state, lease = NULL, leased_until = NULL, next_try_at = o.next_try_at, ended_at = o.ended_at,
      last_status = o.status, last_error = o.error, last_ms = o.ms, answer = decode(o.answer, 'base64'), sent = o.sent
    FROM jsonb_to_recordset(outcomes) AS o (id uuid, lease uuid, state text, next_try_at timestamptz, ended_at timestamptz,
      status integer, error text, ms integer, answer text, sent jsonb)
    WHERE d.tenant_id = tenant AND d.id = o.id AND d.state = 'sending' AND d.lease = o.lease
    RETURNING d.id
  )
  SELECT array_agg(written.id) INTO ours FROM written;

  UPDATE webhook_deliveries AS d SET state = 'waiting', next_try_at = next.release_at
  FROM (
    SELECT held.id, o.release_at
    FROM jsonb_to_recordset(outcomes) AS o (id uuid, endpoint_id uuid, kind text, object_id text, state text,
      release_at timestamptz)
    CROSS JOIN LATERAL (
      SELECT b.id FROM webhook_deliveries AS b
      WHERE b.tenant_id = tenant AND b.endpoint_id = o.endpoint_id AND b.kind = o.kind AND b.object_id = o.object_id
        AND b.state = 'held'
      ORDER BY b.sequence LIMIT 1
    ) AS held
    WHERE o.id = ANY (ours) AND o.state IN ('delivered', 'parked')
  ) AS next
  WHERE d.tenant_id = tenant AND d.id = next.id;

  -- What a replay has made up for.
  UPDATE webhook_deliveries AS d SET state = 'recovered'
  FROM jsonb_to_recordset(outcomes) AS o (id uuid, endpoint_id uuid, kind text, object_id text, event_id uuid, state text)
  WHERE o.kind = 'replay' AND o.state = 'delivered' AND o.id = ANY (ours) AND d.tenant_id = tenant
    AND d.endpoint_id = o.endpoint_id AND d.object_id = o.object_id AND d.event_id = o.event_id AND d.state = 'parked';

  RETURN QUERY SELECT unnest(ours);
END $$;

-- What failed and has not arrived: as long as there is any, its endpoint is failing.
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries"("tenant_id", "endpoint_id", "last_tried_at")
  WHERE "kind" <> 'test' AND "state" IN ('waiting', 'sending', 'parked') AND "last_error" IS NOT NULL AND "attempts" > 0;
