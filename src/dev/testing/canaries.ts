import pg from 'pg';

/** Marked values by name. */
export type Canaries = Map<string, string>;
export type Place = { where: string; text: string };

/** The encodings in which a value may appear: plain, URL-encoded, hexadecimal and base64. */
function spellings(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  // Inside a longer base64 text the first and last characters depend on the neighbouring bytes.
  const inside = [1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4)
      .replace(/=+$/, ''),
  );
  const all = [value, encodeURIComponent(value), bytes.toString('hex'), base64, ...inside];
  return [...new Set([...all, ...all.slice(3).map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))])];
}

/** Returns which canaries are where, as `name in place`, each once, sorted. */
export function findCanaries(canaries: Canaries, places: Iterable<Place>): string[] {
  const wanted = [...canaries].flatMap(([name, value]) => spellings(value).map((spelling) => ({ name, spelling })));
  const findings = new Set<string>();
  for (const { where, text } of places)
    for (const { name, spelling } of wanted) if (text.includes(spelling)) findings.add(`${name} in ${where}`);
  return [...findings].sort();
}

/** Dumps every value of every table as text; bytea as Latin-1, so that plain text in it is found. */
export async function dumpDatabase(ownerUrl: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1, 2`,
    );
    const places: Place[] = [];
    for (const { schema, name } of tables) {
      const { rows } = await client.query(`select * from "${schema}"."${name}"`);
      for (const row of rows)
        for (const [column, value] of Object.entries(row))
          if (value !== null) places.push({ where: `${name}.${column}`, text: textOf(value) });
    }
    return places;
  } finally {
    await client.end();
  }
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
