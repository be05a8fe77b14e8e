-- Locks the last open delivery of each queue (endpoint, object, kind) that has one, so that a process that concludes it
-- waits until the delivery behind it is inserted. Queues are locked in the order in which `carelane_conclude_deliveries`
-- locks them, so that neither can deadlock with the other.
-- Used by: src/server/webhooks/queue-deliveries.ts
CREATE OR REPLACE FUNCTION carelane_lane_ends(kind_of text, endpoints uuid[], objects text[])
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
