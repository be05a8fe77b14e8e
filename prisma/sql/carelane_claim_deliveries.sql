-- Claims the deliveries that are due at `instant` under a new lease: at most `room` in all and as many of each endpoint as
-- it has capacity for, endpoints with the fewest running first. The arrays describe endpoints that differ from the default
-- of `most_each` concurrent deliveries and none running. It is one function for its planner settings and its single round
-- trip.
-- `safe`: the sequence before the first undelivered one, other than the delivery's own. `missed`: the last earlier sequence
-- of the same object that was given up.
-- Used by: src/server/webhooks/claim-deliveries.ts
CREATE OR REPLACE FUNCTION carelane_claim_deliveries(room integer, most_each integer, endpoints uuid[], under_way integer[],
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
