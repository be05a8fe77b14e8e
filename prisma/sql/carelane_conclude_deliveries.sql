-- Records the results of many attempts and releases their leases; returns the ids that the process still held. Each
-- statement sees rows that were committed when it started (READ COMMITTED), so it finds deliveries that were queued behind
-- another one until its row was unlocked.
-- `outcomes` is an array of objects with the names below. `state` is the delivery's new state: `waiting` for another
-- attempt at `next_try_at`; after `delivered` and `parked` the next delivery in its queue is due at `release_at`.
-- The attempts of a result with an `hour` are counted for the endpoint's chart in the same transaction, so that chart and
-- list agree.
-- Used by: src/server/webhooks/conclude-deliveries.ts
CREATE OR REPLACE FUNCTION carelane_conclude_deliveries(outcomes jsonb) RETURNS SETOF uuid LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  ours uuid[];
BEGIN
  -- A new hour's row first: its foreign key locks the endpoint, which everyone locks before its deliveries.
  INSERT INTO webhook_hours (tenant_id, endpoint_id, hour)
  SELECT DISTINCT tenant, o.endpoint_id, o.hour
  FROM jsonb_to_recordset(outcomes) AS o (endpoint_id uuid, hour timestamptz)
  JOIN webhook_endpoints AS e ON e.tenant_id = tenant AND e.id = o.endpoint_id
  WHERE o.hour IS NOT NULL
  ORDER BY o.endpoint_id, o.hour
  ON CONFLICT DO NOTHING;

  -- Queue by queue, in the order in which `carelane_lane_ends` locks them, so that neither can deadlock with the other.
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

  -- Given-up deliveries that a replay has delivered.
  UPDATE webhook_deliveries AS d SET state = 'recovered'
  FROM jsonb_to_recordset(outcomes) AS o (id uuid, endpoint_id uuid, kind text, object_id text, event_id uuid, state text)
  WHERE o.kind = 'replay' AND o.state = 'delivered' AND o.id = ANY (ours) AND d.tenant_id = tenant
    AND d.endpoint_id = o.endpoint_id AND d.object_id = o.object_id AND d.event_id = o.event_id AND d.state = 'parked';

  -- Last, because all processes that send to an endpoint share the row; in one order, so that none deadlock.
  INSERT INTO webhook_hours (tenant_id, endpoint_id, hour, delivered, failed)
  SELECT tenant, o.endpoint_id, o.hour, count(*) FILTER (WHERE o.error IS NULL), count(*) FILTER (WHERE o.error IS NOT NULL)
  FROM jsonb_to_recordset(outcomes) AS o (id uuid, endpoint_id uuid, hour timestamptz, error text)
  WHERE o.hour IS NOT NULL AND o.id = ANY (ours)
  GROUP BY o.endpoint_id, o.hour
  ORDER BY o.endpoint_id, o.hour
  ON CONFLICT (tenant_id, endpoint_id, hour) DO UPDATE
    SET delivered = webhook_hours.delivered + excluded.delivered, failed = webhook_hours.failed + excluded.failed;

  RETURN QUERY SELECT unnest(ours);
END $$;
