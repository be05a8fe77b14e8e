-- Queues a new event for numbering, in the event's own transaction.
-- Used by: the trigger below
CREATE OR REPLACE FUNCTION carelane_queue_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unnumbered_events (tenant_id, position, event_id, event_created_at, event_type, event_topic, object_id, patient_id)
  VALUES (NEW.tenant_id, NEW.position, NEW.id, NEW.created_at, NEW.event_type, NEW.event_topic, NEW.object_id, NEW.patient_id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER events_queue AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION carelane_queue_event();
