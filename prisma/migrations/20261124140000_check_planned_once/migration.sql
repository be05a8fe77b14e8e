-- As sealing: planned once, for planning looks at every month, and whether it is worth it was left to statistics.
ALTER FUNCTION check_audit_seals(bigint, bytea, int) SET plan_cache_mode = force_generic_plan;
