-- Sets the privileges of the service's role on a table; the role is found as in `carelane_for_service`. Without `rights`,
-- no role except for the owner has any.
-- Used by: log_rights, carelane_shut
CREATE OR REPLACE FUNCTION carelane_rights(target regclass, rights text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE role text;
BEGIN
  FOR role IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = target AND a.grantee <> c.relowner AND (rights IS NULL
      OR EXISTS (SELECT FROM pg_class p, aclexplode(p.relacl) held
        WHERE p.oid = 'patients'::regclass AND held.privilege_type = 'INSERT' AND held.grantee = a.grantee)) LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %s', target, role);
    IF rights IS NOT NULL THEN EXECUTE format('GRANT %s ON %s TO %s', rights, target, role); END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION carelane_rights(regclass, text) FROM PUBLIC;
