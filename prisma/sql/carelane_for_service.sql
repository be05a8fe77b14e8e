-- Lets the service's role execute a function of the owner. The role's name is a setting, so it is found by its privilege to
-- insert patients, which a read-only role does not have.
-- Used by: functions of the owner in this folder
CREATE OR REPLACE FUNCTION carelane_for_service(target regprocedure) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE role text;
BEGIN
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', target);
  FOR role IN SELECT DISTINCT a.grantee::regrole::text
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'patients'::regclass AND a.privilege_type = 'INSERT' AND a.grantee NOT IN (0, c.relowner) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', target, role);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION carelane_for_service(regprocedure) FROM PUBLIC;
