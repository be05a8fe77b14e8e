/**
 * Describes the tables of a schema as lines for comparison: tables, columns, constraints, indexes and sequences,
 * without the order of columns. It omits objects of extensions, monthly log partitions, which are created over time,
 * and functions, triggers, policies and privileges, which are defined in `prisma/sql`.
 *
 * @param {import('pg').Client} client
 * @param {string} schema first on the search path, so that names within it are unqualified
 * @returns {Promise<Set<string>>}
 */
export async function readCatalogue(client, schema) {
  const { rows } = await client.query(CATALOGUE, [schema]);
  return new Set(rows.map(({ line }) => line.replaceAll(`${schema}.`, '')));
}

const MIGRATORS = ['_prisma_migrations', '_database_objects'];
const CATALOGUE = `
  WITH relations AS (
    SELECT c.* FROM pg_class c
    WHERE c.relnamespace = $1::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ), tables AS (
    SELECT * FROM relations
    WHERE relkind IN ('r', 'p') AND relname !~ '_\\d{4}_\\d{2}$'
      AND relname NOT IN (${MIGRATORS.map((name) => `'${name}'`)})
  )
  SELECT concat_ws(' ', 'table', relname, CASE relpersistence WHEN 'u' THEN 'unlogged' END, reloptions::text,
    CASE WHEN relkind = 'p' THEN 'partitioned by ' || pg_get_partkeydef(oid) END,
    CASE WHEN relispartition THEN 'partition ' || pg_get_expr(relpartbound, oid) END) AS line
  FROM tables
  UNION ALL
  SELECT concat_ws(' ', 'column', t.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> typ.typcollation THEN 'collate ' || a.attcollation::regcollation END,
    CASE WHEN a.attnotnull THEN 'not null' END,
    CASE a.attgenerated WHEN '' THEN 'default ' ELSE 'generated ' END || pg_get_expr(d.adbin, d.adrelid))
  FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type typ ON typ.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  UNION ALL
  SELECT concat_ws(' ', 'constraint', t.relname || '.' || k.conname, pg_get_constraintdef(k.oid))
  FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid WHERE k.contype <> 'n'
  UNION ALL
  SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), CASE WHEN NOT i.indisvalid THEN 'not valid' END)
  FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  UNION ALL
  SELECT concat_ws(' ', 'sequence', c.relname, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement,
    'owned by ' || (SELECT d.refobjid::regclass || '.' || a.attname FROM pg_depend d
      JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'a'))
  FROM relations c JOIN pg_sequence s ON s.seqrelid = c.oid
  UNION ALL
  SELECT 'other ' || relname FROM relations WHERE relkind IN ('v', 'm', 'f')
  UNION ALL
  SELECT 'enumeration ' || typname FROM pg_type t WHERE typnamespace = $1::regnamespace AND typtype IN ('e', 'd')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e')
  ORDER BY 1`;
